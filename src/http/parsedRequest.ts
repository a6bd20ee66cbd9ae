import { IncomingMessage } from 'node:http';

/**
 * Stops the parser once the connection is cut off. Thousands of small requests may arrive in one piece, and their
 * connection may be cut off while Node parses it. `upgrade` then claims that another protocol follows, so Node stops.
 */
export class ParsedRequest extends IncomingMessage {
  declare private isUpgrade: boolean;

  get upgrade(): boolean {
    return this.isUpgrade || this.socket.destroyed;
  }

  set upgrade(isUpgrade: boolean) {
    this.isUpgrade = isUpgrade;
  }
}
