import { onTestFinished } from 'vitest'
import {
  WebhookSender,
  type WebhookSenderOptions,
} from '../../../server/src/delivery/sending/sender.ts'
import type { WebhookRequest } from '../../../server/src/delivery/sending/webhook-request.ts'
import { systemClock } from '../../../server/src/util/time/clock.ts'

/** A sender that may reach this machine, disposed of when the test ends. */
export function openSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const sender = new WebhookSender({
    clock: systemClock,
    timeoutMs: 5000,
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    maxConnectionsPerWebhook: 8,
    ...options,
  })
  onTestFinished(() => sender[Symbol.asyncDispose]())
  return sender
}

/** The unsigned request of a first attempt to deliver `{}` to `url`. */
export const requestTo = (url: string, change: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url,
  headers: {},
  body: Buffer.from('{}'),
  deliveryId: 'msg_01',
  attempt: 1,
  sharedSecret: null,
  ...change,
})
