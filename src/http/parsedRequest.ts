import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Stops the parser once the connection is cut off. Thousands of small requests may arrive in one piece, and their
 * connection may be cut off while Node parses it. `upgrade` then claims that another protocol follows, so Node stops.
 */
export class ParsedRequest extends IncomingMessage {
  declare private isUpgrade: boolean;

  get upgrade(): boolean {
    // A request whose body is given up half-way no longer has its socket.
    const socket = this.socket as Socket | null;
    return this.isUpgrade || socket?.destroyed === true;
  }

  set upgrade(isUpgrade: boolean) {
    this.isUpgrade = isUpgrade;
  }
}
