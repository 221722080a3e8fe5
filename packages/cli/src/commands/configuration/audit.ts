import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { withLongListOptions } from '../../options/list-options.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'

type Entry = Awaited<ReturnType<ManagementApi['listAudit']>>['data'][number]

/** The id of the operator in the log: its token is no record. */
const OPERATOR = 'admin-token'

interface AuditOptions extends ListPart {
  readonly token?: string
  readonly action?: string
  readonly target?: string
}

/** `hookline audit` */
export function addAudit(program: Command): void {
  withLongListOptions(withApiOptions(program.command('audit')))
    .description('list changes and who made them, newest first; --json shows before and after')
    .option('--token <id>', `only changes made with this token; ${OPERATOR} for the admin token`)
    .option('--action <action>', 'only this action, such as changeDestination')
    .option('--target <id>', 'only changes of what has this id')
    .action(async ({ token, action, target, ...part }: AuditOptions, command: Command) => {
      const api = apiOf(command)
      const actorId = await actorOf(api, token)
      const filters = definedFields({ actorId, action, targetId: target })
      const entries = await listPart((page) => api.listAudit({ ...filters, ...page }), part)
      showList(outputOf(command), COLUMNS, entries, 'No matching changes.')
    })
}

/** Entries name deleted tokens too, so that an id is taken as it is. */
async function actorOf(api: ManagementApi, token: string | undefined): Promise<string | undefined> {
  if (token === undefined || token === OPERATOR) return token
  return idOf(api, 'token', token)
}

const COLUMNS: readonly Column<Entry>[] = [
  { head: 'at', cell: ({ at }) => at, isTime: true },
  { head: 'who', cell: ({ actor }) => `${actor.name} (${actor.role})`, long: 'cut', rank: 1 },
  { head: 'action', cell: ({ action }) => action },
  { head: 'target', cell: ({ targetId }) => targetId ?? '' },
  { head: 'changed', cell: changedFields, long: 'cut', rank: 2 },
]

/** The names of the fields that differ. */
function changedFields({ before, after, unreadable }: Entry): string {
  if (unreadable === true) return 'the entry is damaged'
  if (before === null) return after === null ? '' : 'created'
  if (after === null) return 'deleted'
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !isSame(before[name], after[name]))
  return changed.filter((name) => !ALWAYS.has(name)).join(', ')
}

/** These change with each change. */
const ALWAYS = new Set(['updatedAt', 'version'])

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
