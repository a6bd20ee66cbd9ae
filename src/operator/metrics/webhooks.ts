import type { WebhookObserver } from '../../webhooks/index.ts';
import type { Instruments } from './instruments.ts';

/** Counts delivered events, failed attempts and events that were given up. */
export function createWebhookMetrics({ counter }: Instruments): WebhookObserver {
  const delivered = counter('webhook_events_delivered_total', 'Events that the receiver accepted.');
  const failed = counter('webhook_failures_total', 'Failed attempts to deliver an event.');
  const givenUp = counter('webhook_events_given_up_total', 'Events that became dead letters.');
  return {
    delivered: () => delivered.inc(),
    failed: () => failed.inc(),
    givenUp: () => givenUp.inc(),
  };
}
