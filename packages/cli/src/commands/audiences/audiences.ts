import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { withLongListOptions } from '../../options/list-options.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { addListImport } from './list-import.ts'
import { addComputationCommands } from './computation-commands.ts'
import type { ComputationKind } from './computation-kind.ts'

const AUDIENCES: ComputationKind = {
  word: 'audiences',
  kind: 'audience',
  about: 'groups of users, kept up to date at the destinations',
  one: 'an audience',
  many: 'audiences',
  definition: 'condition',
  definitionHelp: 'file with the condition as JSON; - reads the standard input',
  example: `Example of a condition, for users with two orders in 30 days:
{"event": "Order", "count": {"op": ">=", "n": 2}, "within": {"days": 30}}`,
  none: 'No audiences. Create one with `hookline audiences create <name> --condition <file>`.',
  operations: (api) => ({
    list: api.listAudiences,
    get: api.getAudience,
    create: (body) => api.createAudience(body as Parameters<ManagementApi['createAudience']>[0]),
    change: api.changeAudience,
    remove: api.removeAudience,
    sync: (id) => api.syncAudience(id, {}),
    preview: (body) => api.previewAudience(body as Parameters<ManagementApi['previewAudience']>[0]),
    explain: (id, userId) => api.explainAudience(userId, id),
  }),
}

/** `hookline audiences …` */
export function addAudiences(program: Command): void {
  const audiences = addComputationCommands(program, AUDIENCES)

  withLongListOptions(withApiOptions(audiences.command('members <id>')))
    .description('list the members of an audience')
    .action(async (id: string, part: ListPart, command: Command) => {
      const api = apiOf(command)
      const audience = await idOf(api, 'audience', id)
      const members = await listPart((page) => api.listMembers(audience, page), part)
      showList(outputOf(command), COLUMNS, members, 'No members.')
    })

  addListImport(audiences)
}

type Member = Awaited<ReturnType<ManagementApi['listMembers']>>['data'][number]

const COLUMNS: readonly Column<Member>[] = [
  { head: 'user', cell: ({ userId }) => userId ?? '(no userId yet)' },
  { head: 'since', cell: ({ since }) => since, isTime: true },
]
