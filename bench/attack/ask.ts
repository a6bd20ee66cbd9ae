import { request, type Agent } from 'node:http';

export interface Question {
  path: string;
  /** JSON; a question without it is a GET. */
  body?: string;
}

export interface Options {
  port: number;
  /** The asker gives up after this time, and closes the connection. */
  patienceMs: number;
  /** Without one each question has a connection of its own. */
  agent?: Agent;
  /** The address that the asker sends from. The system chooses one if this is absent. */
  localAddress?: string | undefined;
}

export interface Heard {
  status: number;
  text: string;
}

/** Asks over HTTP. Throws where no whole answer comes in time. */
export function ask({ path, body }: Question, options: Options): Promise<Heard> {
  const { port, patienceMs, agent = false, localAddress } = options;
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      agent,
      ...(localAddress !== undefined && { localAddress }),
    });
    const giveUp = setTimeout(() => sent.destroy(new Error('gave up')), patienceMs);
    const fail = (error: Error): void => {
      clearTimeout(giveUp);
      reject(error);
    };
    sent.once('error', fail);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', fail);
      response.once('close', () => {
        clearTimeout(giveUp);
        if (!response.complete) return reject(new Error('the answer broke off'));
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.end(body);
  });
}
