import { Readable } from 'node:stream';
import Koa, { type Context } from 'koa';
import type { OperatorHandlers, OperatorRefusal, TextBody } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import { PAGE_HEADERS } from '../net/pageHeaders.ts';
import { sessionIn, type createAccess } from './access.ts';
import { readBody } from './body.ts';
import { createOperatorContract, type Reply } from './contract.ts';
import type { OperatorLimits } from './limits.ts';
import type { Pages } from './pages.ts';
import { refuse, STATUS_OF } from './refusal.ts';

export interface OperatorAppDeps {
  handlers: OperatorHandlers;
  access: Pick<ReturnType<typeof createAccess>, 'refusal' | 'isOperator'>;
  pages: Pages;
  log: Log;
  limits: OperatorLimits;
}

/** Builds the operator's HTTP surface: access, route, body, handler, answer. */
export async function createOperatorApp(deps: OperatorAppDeps): Promise<Koa> {
  const { handlers, access, pages, log, limits } = deps;
  const contract = await createOperatorContract(handlers);

  async function answerTo(ctx: Context): Promise<Reply | OperatorRefusal | 'page'> {
    const { headers, path, querystring: query } = ctx;
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const request = { method, path, query, headers: {}, body: undefined };
    const operationId = contract.operationAt(request);
    const asked = { method, headers, operationId };
    const refusal = access.refusal(asked);
    if (refusal !== undefined) return refusal;
    if (operationId === undefined) return 'page';
    const body = method === 'POST' ? await readBody(ctx.req, limits.maxBodyBytes) : { value: undefined };
    if ('code' in body) return body;
    const asking = {
      isOperator: access.isOperator(headers),
      session: sessionIn(headers),
      isFromHttps: headers.origin?.startsWith('https://') ?? false,
      gone: goneOf(ctx),
      isStillAllowed: (): boolean => access.refusal(asked) === undefined,
    };
    return contract.handle(operationId, { ...request, body: body.value as object }, asking);
  }

  const app = new Koa();
  // Answers are usually cut off because the client left.
  app.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code !== 'ERR_STREAM_PREMATURE_CLOSE') log.warn({ err }, 'answer to the operator not delivered');
  });
  app.use(async (ctx, next) => {
    ctx.set(PAGE_HEADERS);
    try {
      const answer = await answerTo(ctx);
      if (answer === 'page') await next();
      else send(ctx, 'code' in answer ? refused(answer) : answer);
    } catch (err) {
      log.error({ err, path: ctx.path.slice(0, 128) }, 'fault on the operator’s port');
      send(ctx, refused(refuse('op_internal_error', 'The service failed: its log says why.')));
    }
  });
  app.use(pages);
  app.use((ctx) => send(ctx, refused(refuse('op_not_found', 'There is no such route.'))));
  return app;
}

function refused({ code, message }: OperatorRefusal): Reply {
  const headers = code === 'op_unauthorized' ? { 'www-authenticate': 'Bearer' } : {};
  return { status: STATUS_OF[code], body: { error: { code, message } }, headers };
}

function send(ctx: Context, { status, body, headers = {} }: Reply): void {
  ctx.status = status;
  ctx.set(headers);
  if (body === undefined) return;
  if (!isText(body)) {
    ctx.body = body;
    return;
  }
  ctx.set('content-type', body.contentType);
  ctx.body = typeof body.text === 'string' ? body.text : Readable.from(body.text, { objectMode: false });
}

const isText = (body: object): body is TextBody => 'contentType' in body;

function goneOf({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort('gone'));
  return gone.signal;
}
