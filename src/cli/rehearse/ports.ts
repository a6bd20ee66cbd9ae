import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config/config.ts';
import { fail, warn, type Finding } from './finding.ts';

/** Checks whether the service could listen. Its ports are in use if it is running already. */
export async function checkPorts({ host, port, operator }: Config): Promise<Finding[]> {
  const asked = [{ name: 'PORT', host, port }, ...(operator ? [{ name: 'OPERATOR_PORT', ...operator }] : [])];
  return (await Promise.all(asked.map(checkPort))).flat();
}

interface Asked {
  readonly name: string;
  readonly host?: string | undefined;
  readonly port: number;
}

async function checkPort({ name, host, port }: Asked): Promise<Finding[]> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      return [warn('ports', `${name} ${port} is in use: by this service, if it is running`)];
    return [
      fail(
        'ports',
        `${name} ${port}${host === undefined ? '' : ` on ${host}`} cannot be listened on (${code})`,
      ),
    ];
  } finally {
    server.close();
  }
}
