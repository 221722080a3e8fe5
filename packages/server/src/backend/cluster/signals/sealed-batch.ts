import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { FeedBatch } from './feed-publisher.ts'

const LABEL = 'live'

/** A batch of the feed, sealed with the encryption key: it has data of users, and URLs, which may contain credentials. */
export function sealedBatch(box: SecretBox, batch: string): string {
  return box.seal(batch, LABEL)
}

/** `undefined` for what no node of this service has published. */
export function openedBatch(box: SecretBox, sealed: string): FeedBatch | undefined {
  try {
    return JSON.parse(box.open(sealed, LABEL)) as FeedBatch
  } catch (error) {
    if (error instanceof SecretBoxError || error instanceof SyntaxError) return undefined
    throw error
  }
}
