import { appendAudit, removeAudit } from './audit.ts'
import { addResponse, releaseKey, reserveKey } from './idempotent-responses.ts'
import { addCounts, removeCounts } from './statistics.ts'
import type { Write } from './store.ts'
import { advanceSync, putSync } from './syncs.ts'
import { addToken, markTokenUsed, removeToken } from './tokens.ts'

/** Every change of the ports in this folder, by the name of its function: so that another thread finds it. */
export const WRITES: ReadonlyMap<string, Write<never, unknown>> = new Map(
  [
    addToken,
    removeToken,
    markTokenUsed,
    appendAudit,
    removeAudit,
    addResponse,
    reserveKey,
    releaseKey,
    addCounts,
    removeCounts,
    putSync,
    advanceSync,
  ].map((write) => [write.name, write]),
)
