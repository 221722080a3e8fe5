import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { confirm } from '../../options/confirmation.ts'
import {
  definitionOf,
  type DefinitionOptions,
  SHORT_OPTIONS,
  withDefinitionOptions,
} from '../../options/definition-options.ts'
import { countText } from '../../output/figures.ts'
import { showList } from '../../output/list.ts'
import {
  type Computation,
  COMPUTATION_COLUMNS,
  computationDetails,
} from '../../output/users/computation-text.ts'
import { explanationText } from '../../output/users/explanation-text.ts'
import { previewText } from '../../output/users/preview-text.ts'
import type { ApiCommand } from '../api-command.ts'
import type { ComputationKind } from './computation-kind.ts'
import { addChangeCommands } from './change-commands.ts'

/** Adds the commands that audiences and computed traits share. Returns their parent. */
export function addComputationCommands(program: ApiCommand, kind: ComputationKind): ApiCommand {
  const parent = program.command(kind.word).description(`manage ${kind.many}`)
  addReadCommands(parent, kind)
  addChangeCommands(parent, kind)
  addPreview(parent, kind)
  addActionCommands(parent, kind)
  return parent
}

function addReadCommands(parent: ApiCommand, definitions: ComputationKind): void {
  const { word, kind, one, many, definition, operations } = definitions
  const none = `No ${many}. Create one with \`hookline ${word} create <name> --${definition} <file>\`.`
  parent
    .api('list', `list all ${many}`)
    .paged('short')
    .option('--space <space>', `only ${many} in this space`)
    .run(async ({ api, output }, { space, ...part }: { space?: string } & ListPart) => {
      const { list } = operations(api)
      const all = await listPart((page) => list({ ...definedFields({ space }), ...page }), part)
      showList(output, COMPUTATION_COLUMNS, all, none)
    })

  parent.api('get <id>', `show ${one}`).runOn(kind, async ({ api, output }, id) => {
    const record = await operations(api).get(id)
    output.data(record, () => computationDetails(output, record))
  })
}

interface PreviewOptions extends DefinitionOptions {
  readonly space?: string
}

function addPreview(
  parent: ApiCommand,
  { definition, example, operations }: ComputationKind,
): void {
  const preview = parent.api('preview', 'preview the number of users, with a sample')
  withDefinitionOptions(preview, definition)
    .option('--space <space>', 'space that contains the profiles (default: "default")')
    .addHelpText('after', `\n${example}`)
    .run(async (context, options: PreviewOptions) => {
      const { api, output } = context
      const value = await definitionOf(options, definition)
      if (value === undefined)
        throw new Failure(
          'usage',
          `Pass --${definition}, or at least one of ${SHORT_OPTIONS[definition]}.`,
        )
      const space = definedFields({ space: options.space })
      const previewed = await operations(api).preview({ ...space, [definition]: value })
      output.data(previewed, () => previewText(output, previewed))
    })
}

function addActionCommands(
  parent: ApiCommand,
  { kind, one, explanation, operations }: ComputationKind,
): void {
  parent.api('sync <id>', 're-evaluate every user now').runOn(kind, async ({ api, output }, id) => {
    const sync = await operations(api).sync(id)
    output.data(sync, () => `Sync ${sync.id} is ${sync.state}.`)
  })

  parent
    .api('explain <id> <userId>', explanation)
    .runOn(kind, async ({ api, output }, id, userId: string) => {
      const explained = await operations(api).explain(id, userId)
      output.data(explained, () => explanationText(output, explained))
    })

  parent
    .api('delete <id>', `delete ${one}`)
    .confirmed()
    .option(
      '--announce',
      `before deleting, notify destinations as if every user had ${kind === 'audience' ? 'left' : 'lost the value'}`,
    )
    .runOn(kind, async ({ api, output, command }, id, { announce }: { announce?: true }) => {
      const { get, remove } = operations(api)
      await confirm(command, async () => deletionEffect(one, await get(id), announce))
      await remove(id, announce ? { announce: 'true' } : {})
      output.data({ id, deleted: !announce }, () =>
        announce ? `${id} will be deleted after its destinations are notified.` : `Deleted ${id}.`,
      )
    })
}

function deletionEffect(one: string, record: Computation, announce: true | undefined): string {
  const { name, id, size, destinationIds } = record
  const effect = `This deletes ${one} and its values for ${countText(size, 'user')}: ${JSON.stringify(name)} (${id}).`
  if (destinationIds.length === 0) return `${effect} It has no destinations.`
  return announce
    ? `${effect} Its destinations will be notified first.`
    : `${effect} Its destinations will not be notified; use --announce to notify them.`
}
