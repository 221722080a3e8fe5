import type { api } from '../../../api/client.ts'

export type AuditEntry = Awaited<ReturnType<typeof api.listAudit>>['data'][number]

interface TargetPage {
  readonly to: string
  readonly search: Readonly<Record<string, string>>
}

const PAGES: Readonly<Record<string, (id: string) => TargetPage>> = {
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

/** The page of the target; `undefined` if it was removed or has no page. */
export function pageOf({ targetId, before, after }: AuditEntry): TargetPage | undefined {
  const isRemoved = before !== null && after === null
  const [, prefix = ''] = /^([a-z]{3})_\w+$/.exec(targetId ?? '') ?? []
  if (targetId === null || isRemoved || !Object.hasOwn(PAGES, prefix)) return undefined
  return PAGES[prefix]!(targetId)
}

export function changeOf({ before, after }: AuditEntry): string | undefined {
  if (before === null && after === null) return undefined
  return before === null ? 'created' : after === null ? 'deleted' : 'changed'
}

const READS = /^(?:get|list|watch|explain|preview|export|defaults|servers)/

/** Drops read-only operations. */
export function changingActions(operations: readonly string[]): readonly string[] {
  return operations.filter((each) => !READS.test(each)).toSorted()
}
