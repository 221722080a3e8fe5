import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { withLongListOptions } from '../../options/list-options.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { addComputationCommands } from './computation-commands.ts'
import type { ComputationKind } from './computation-kind.ts'

const TRAITS: ComputationKind = {
  word: 'traits',
  kind: 'trait',
  about: 'traits of users that are computed from their events',
  one: 'a computed trait',
  many: 'computed traits',
  definition: 'compute',
  definitionHelp: 'file with compute as JSON; - reads the standard input',
  example: `Example of compute, for the total of orders in the last 30 days:
{"fn": "sum", "event": "Order", "property": "total", "within": {"days": 30}}`,
  none: 'No computed traits. Create one with `hookline traits create <name> --compute <file>`.',
  operations: (api) => ({
    list: api.listTraits,
    get: api.getTrait,
    create: (body) => api.createTrait(body as Parameters<ManagementApi['createTrait']>[0]),
    change: api.changeTrait,
    remove: api.removeTrait,
    sync: (id) => api.syncTrait(id, {}),
    preview: (body) => api.previewTrait(body as Parameters<ManagementApi['previewTrait']>[0]),
    explain: (id, userId) => api.explainTrait(userId, id),
  }),
}

/** `hookline traits …` */
export function addTraits(program: Command): void {
  const traits = addComputationCommands(program, TRAITS)

  withLongListOptions(withApiOptions(traits.command('values <id>')))
    .description('list the users who have a value')
    .action(async (id: string, part: ListPart, command: Command) => {
      const api = apiOf(command)
      const trait = await idOf(api, 'trait', id)
      const values = await listPart((page) => api.listTraitValues(trait, page), part)
      showList(outputOf(command), COLUMNS, values, 'No user has a value.')
    })
}

type Value = Awaited<ReturnType<ManagementApi['listTraitValues']>>['data'][number]

const COLUMNS: readonly Column<Value>[] = [
  { head: 'user', cell: ({ userId }) => userId ?? '(no userId yet)' },
  { head: 'value', cell: ({ value }) => JSON.stringify(value), long: 'cut' },
  { head: 'since', cell: ({ since }) => since, isTime: true },
]
