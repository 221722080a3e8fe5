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

/** The name of the changed record, if it has one. */
export function targetNameOf({
  before,
  after,
}: Pick<AuditEntry, 'before' | 'after'>): string | undefined {
  const name = after?.['name'] ?? before?.['name']
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Names of records by their ids. */
export type TargetNames = ReadonlyMap<string, string>

/** Names, with the end of the id appended if several records share a name. */
export function uniqueNames(names: TargetNames): TargetNames {
  const all = [...names.values()]
  const isUnique = (name: string): boolean => all.indexOf(name) === all.lastIndexOf(name)
  return new Map(
    [...names].map(([id, name]) => [id, isUnique(name) ? name : `${name} …${id.slice(-4)}`]),
  )
}

/** The id of the record with this distinct name. Any other text is an id. */
export function targetIdOf(text: string, names: TargetNames): string {
  return [...names].find(([, name]) => name === text)?.[0] ?? text
}

/** The actors of these entries with distinct names. */
export function actorChoices(
  entries: readonly AuditEntry[],
): (readonly [id: string, name: string])[] {
  return [
    ...uniqueNames(
      new Map(entries.map(({ actor: { id, name, role } }) => [id, `${name} (${role})`])),
    ),
  ]
}

const READS = /^(?:get|list|find|watch|explain|preview|export|defaults|servers)/

/** Drops read-only operations. */
export function changingActions(operations: readonly string[]): readonly string[] {
  return operations.filter((each) => !READS.test(each)).toSorted()
}
