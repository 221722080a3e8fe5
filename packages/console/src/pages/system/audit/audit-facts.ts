import type { api } from '../../../api/client.ts'

export type AuditEntry = Awaited<ReturnType<typeof api.listAudit>>['data'][number]

/** A page of the console: its path, and what is in the query of its URL. */
interface Place {
  readonly to: string
  readonly search: Readonly<Record<string, string>>
}

const PLACES: Readonly<Record<string, (id: string) => Place>> = {
  src: (source) => ({ to: '/sources', search: { source } }),
  dst: (id) => ({ to: `/destinations/${id}`, search: {} }),
  aud: (audience) => ({ to: '/audiences', search: { audience } }),
  trt: (trait) => ({ to: '/audiences', search: { trait } }),
  del: (deletion) => ({ to: '/privacy', search: { deletion } }),
  evt: (id) => ({ to: `/events/${id}`, search: {} }),
  msg: (delivery) => ({ to: '/events', search: { delivery } }),
  rpl: (replay) => ({ to: '/destinations', search: { replay } }),
  tok: () => ({ to: '/system', search: { tab: 'tokens' } }),
  ses: () => ({ to: '/system', search: { tab: 'sessions' } }),
}

/** Where the target of an entry is shown; `undefined` where it was removed, or has no page. */
export function placeOf({ targetId, before, after }: AuditEntry): Place | undefined {
  const isRemoved = before !== null && after === null
  const [, prefix = ''] = /^([a-z]{3})_\w+$/.exec(targetId ?? '') ?? []
  if (targetId === null || isRemoved || !Object.hasOwn(PLACES, prefix)) return undefined
  return PLACES[prefix]!(targetId)
}

/** What was done with the target, in a word. */
export function doneWith({ before, after }: AuditEntry): string | undefined {
  if (before === null && after === null) return undefined
  return before === null ? 'created' : after === null ? 'removed' : 'changed'
}

const READS = /^(?:get|list|watch|explain|preview|export|defaults|servers)/

/** The names of the operations that change something, out of all. */
export function changingActions(operations: readonly string[]): readonly string[] {
  return operations.filter((each) => !READS.test(each)).toSorted()
}
