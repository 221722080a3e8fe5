import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { listItems } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { limitOption } from '../../options/whole-number.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/table.ts'
import { addListImport } from './list-import.ts'
import { addComputationCommands } from './computation-commands.ts'
import type { ComputationKind } from './computation-kind.ts'

const AUDIENCES: ComputationKind = {
  word: 'audiences',
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

  withApiOptions(audiences.command('members <id>'))
    .description('list the members of an audience')
    .addOption(limitOption('show at most this many'))
    .action(async (id: string, { limit }: { limit: number }, command: Command) => {
      const api = apiOf(command)
      const members = await listItems((page) => api.listMembers(id, page), limit)
      showList(outputOf(command), COLUMNS, members, 'No members.')
    })

  addListImport(audiences)
}

type Member = Awaited<ReturnType<ManagementApi['listMembers']>>['data'][number]

const COLUMNS = [
  { head: 'user', cell: ({ userId }: Member) => userId ?? '(no userId yet)' },
  { head: 'since', cell: ({ since }: Member) => since },
]
