import type { WebhooksSettings } from '@hookline/protocol'
import { expect } from 'vitest'
import { parseWebhooksSettings } from '../../../src/admin/destinations/settings.ts'

/** The settings in a request that must be valid. */
export function settingsOf(input: unknown, previous?: WebhooksSettings): WebhooksSettings {
  const parsed = parseWebhooksSettings(input, previous)
  if ('errors' in parsed) expect.fail(JSON.stringify(parsed.errors))
  return parsed.settings
}

/** The pointer and the code of each error: `/webhooks/0/url too_long`. */
export function errorsOf(input: unknown, previous?: WebhooksSettings): string[] {
  const parsed = parseWebhooksSettings(input, previous)
  return 'errors' in parsed ? parsed.errors.map(({ pointer, code }) => `${pointer} ${code}`) : []
}
