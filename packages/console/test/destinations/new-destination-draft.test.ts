import { expect, test } from 'vitest'
import { emptyDraft, requestOf } from '../../src/pages/destinations/form/new-destination-draft.ts'
import { newWebhook } from '../../src/pages/destinations/form/webhook-drafts.ts'

test.for([
  ['http://127.0.0.1:9100/hooks', '127.0.0.1:9100'],
  ['https://shop.example/hooks', 'shop.example'],
  ['no URL', 'Webhooks'],
] as const)('without a name, a destination with %s is called %s', ([url, name]) => {
  const draft = {
    ...emptyDraft('src_1'),
    webhooks: [newWebhook(url)],
  }
  expect(requestOf(draft, null, 'http://inspector.internal/').name).toBe(name)
})
