import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { confirm, withYesOption } from '../../options/confirmation.ts'
import { counted } from '../../output/figures.ts'
import { definedFields } from '../../api/management-api.ts'
import { COMPUTATION_COLUMNS, computationDetails } from '../../output/users/computation-text.ts'
import { explanationText } from '../../output/users/explanation-text.ts'
import { outputOf } from '../../output/output.ts'
import { previewText } from '../../output/users/preview-text.ts'
import { showList } from '../../output/list.ts'
import { withListOptions } from '../../options/list-options.ts'
import { jsonObjectIn } from '../../options/json-file.ts'
import type { Computation, ComputationKind } from './computation-kind.ts'
import { addMaking } from './making-commands.ts'

/** The commands that audiences and computed traits both have. Returns their parent. */
export function addComputationCommands(program: Command, kind: ComputationKind): Command {
  const parent = program.command(kind.word).description(kind.about)
  addReading(parent, kind)
  addMaking(parent, kind)
  addPreview(parent, kind)
  addWork(parent, kind)
  return parent
}

function addReading(parent: Command, { kind, one, many, none, operations }: ComputationKind): void {
  withListOptions(withApiOptions(parent.command('list')))
    .description(`list all ${many}`)
    .option('--space <space>', `only ${many} of this space`)
    .action(async ({ space, ...part }: { space?: string } & ListPart, command: Command) => {
      const { list } = operations(apiOf(command))
      const all = await listPart((page) => list({ ...definedFields({ space }), ...page }), part)
      showList(outputOf(command), COMPUTATION_COLUMNS, all, none)
    })

  withApiOptions(parent.command('get <id>'))
    .description(`show ${one}, with its state, its size and its last sync`)
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const record = await operations(api).get(await idOf(api, kind, id))
      const output = outputOf(command)
      output.data(record, () => computationDetails(output, record))
    })
}

interface PreviewOptions {
  readonly space?: string
  readonly condition?: string
  readonly compute?: string
}

function addPreview(parent: Command, kind: ComputationKind): void {
  const { definition, definitionHelp, example, operations } = kind
  withApiOptions(parent.command('preview'))
    .description('show for how many users there would be a value, and some of them')
    .requiredOption(`--${definition} <file>`, definitionHelp)
    .option('--space <space>', 'space of the users; the default is default')
    .addHelpText('after', `\n${example}`)
    .action(async (options: PreviewOptions, command: Command) => {
      const file = options[definition]!
      const body = { [definition]: await jsonObjectIn(file, definitionHelp) }
      const { space } = options
      const preview = await operations(apiOf(command)).preview({
        ...definedFields({ space }),
        ...body,
      })
      const output = outputOf(command)
      output.data(preview, () => previewText(output, preview))
    })
}

function addWork(parent: Command, { kind, one, operations }: ComputationKind): void {
  withApiOptions(parent.command('sync <id>'))
    .description('evaluate every user now; nobody needs to: changes are sent within seconds')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const sync = await operations(api).sync(await idOf(api, kind, id))
      outputOf(command).data(sync, () => `Sync ${sync.id} is ${sync.state}.`)
    })

  withApiOptions(parent.command('explain <id> <userId>'))
    .description('show why a user has the value that it has')
    .action(async (id: string, userId: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const explained = await operations(api).explain(await idOf(api, kind, id), userId)
      const output = outputOf(command)
      output.data(explained, () => explanationText(output, explained))
    })

  withYesOption(withApiOptions(parent.command('delete <id>')))
    .description(`delete ${one}`)
    .option('--announce', 'first send to the destinations, for every user, that the value is gone')
    .action(async (given: string, { announce }: { announce?: true }, command: Command) => {
      const api = apiOf(command)
      const { get, remove } = operations(api)
      const id = await idOf(api, kind, given)
      await confirm(command, async () => deletionEffect(one, await get(id), announce))
      await remove(id, announce ? { announce: 'true' } : {})
      const text = announce ? `${id} is deleted when every user is announced.` : `Deleted ${id}.`
      outputOf(command).data({ id, deleted: !announce }, () => text)
    })
}

function deletionEffect(one: string, record: Computation, announce: true | undefined): string {
  const { name, id, size, destinationIds } = record
  const what = `This deletes ${one}: ${JSON.stringify(name)} (${id}), with its values of ${counted(size, 'user')}.`
  if (destinationIds.length === 0) return `${what} It has no destinations.`
  return announce
    ? `${what} Its destinations are told first, for each user, that the value is gone.`
    : `${what} Its destinations are not told that the values are gone: --announce tells them.`
}
