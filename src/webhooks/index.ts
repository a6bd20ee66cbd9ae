export type { WebhookObserver } from './log.ts';
export { createWebhooks, type Webhooks } from './webhooks.ts';
