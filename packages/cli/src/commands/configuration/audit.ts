import { idOf } from '../../api/find-id.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

type Entry = Awaited<ReturnType<ManagementApi['listAudit']>>['data'][number]

/** The actor id of the admin token, which has no token record. */
const OPERATOR = 'admin-token'

interface AuditOptions extends ListPart {
  readonly token?: string
  readonly action?: string
  readonly target?: string
}

export function addAudit(program: ApiCommand): void {
  program
    .api('audit', 'list configuration changes, newest first')
    .paged('long')
    .option('--token <id>', `only changes made with this token; ${OPERATOR} for the admin token`)
    .option('--action <action>', 'only changes with this action, such as changeDestination')
    .option('--target <id>', 'only changes to the resource with this id')
    .run(async ({ api, output }, { token, action, target, ...part }: AuditOptions) => {
      const actorId =
        token === undefined || token === OPERATOR ? token : await idOf(api, 'token', token)
      const filters = definedFields({ actorId, action, targetId: target })
      const entries = await listPart((page) => api.listAudit({ ...filters, ...page }), part)
      showList(output, COLUMNS, entries, 'No matching changes.')
    })
}

const COLUMNS: readonly Column<Entry>[] = [
  { head: 'at', cell: ({ at }) => at, isTime: true },
  { head: 'actor', cell: ({ actor }) => `${actor.name} (${actor.role})`, long: 'cut', rank: 1 },
  { head: 'action', cell: ({ action }) => action },
  { head: 'target', cell: ({ targetId }) => targetId ?? '' },
  { head: 'changed', cell: changedFields, long: 'cut', rank: 2 },
]

/** Fields that every change updates. */
const ALWAYS = new Set(['updatedAt', 'version'])

function changedFields({ before, after, unreadable }: Entry): string {
  if (unreadable === true) return 'corrupted entry'
  if (before === null) return after === null ? '' : 'created'
  if (after === null) return 'deleted'
  const names = Object.keys({ ...before, ...after }).filter((name) => !ALWAYS.has(name))
  const json = (value: unknown) => JSON.stringify(value)
  return names.filter((name) => json(before[name]) !== json(after[name])).join(', ')
}
