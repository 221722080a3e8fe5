import { idOf, idsOf } from '../../api/find-id.ts'
import { definedFields } from '../../api/management-api.ts'
import {
  definitionOf,
  type DefinitionOptions,
  withDefinitionOptions,
} from '../../options/definition-options.ts'
import { requireChange } from '../../options/require-change.ts'
import { enabledIn, type SwitchOptions, withSwitch } from '../../options/switch-options.ts'
import { jsonText } from '../../output/safe-text.ts'
import { type Computation, computationDetails } from '../../output/users/computation-text.ts'
import { previewText } from '../../output/users/preview-text.ts'
import type { ApiCommand, Context } from '../api-command.ts'
import type { ComputationKind, RequestedFields } from './computation-kind.ts'

interface ChangeOptions extends SwitchOptions, DefinitionOptions {
  readonly name?: string
  readonly space?: string
  readonly destination?: string[]
  readonly manual?: true
  readonly dryRun?: true
}

/** Adds `create` and `update` of audiences or computed traits. */
export function addChangeCommands(parent: ApiCommand, kind: ComputationKind): void {
  const { one, operations } = kind
  const create = parent
    .api('create <name>', `create ${one}`)
    .option('--destination <ids...>', 'destinations that receive changes')
    .option('--space <space>', 'space that contains the profiles (default: "default")')
  if (kind.word === 'audiences')
    create.option('--manual', 'use a list of members instead of a condition')
  addDefinition(create, kind, 'compute and send changes (the default)').run(
    async (context, name: string, options: ChangeOptions) => {
      const { destination, space, manual } = options
      // A dry run without destinations needs no service.
      const destinationIds = destination ? await idsOf(context.api, 'destination', destination) : []
      const fields = { name, space, destinationIds, manual, enabled: enabledIn(options) }
      const body = await withDefinition(fields, options, kind)
      if (options.dryRun) return showDryRun(context, kind, body)
      return show(context, await operations(context.api).create(body))
    },
  )

  const update = parent
    .api('update <id>', `update ${one}`)
    .option('--name <name>', 'new name; the key does not change')
    .option('--destination <ids...>', 'destinations that receive changes; replaces the list')
  addDefinition(update, kind, 'compute and send changes').run(
    async (context, idOrName: string, options: ChangeOptions) => {
      const { name, destination } = options
      const { api, command } = context
      const id = await idOf(api, kind.kind, idOrName)
      const destinationIds = destination && (await idsOf(api, 'destination', destination))
      const fields = { name, destinationIds, enabled: enabledIn(options) }
      const body = await withDefinition(fields, options, kind)
      const { get, change } = operations(api)
      if (options.dryRun) return showDryRun(context, kind, body, (await get(id)).space)
      requireChange(command, body)
      return show(context, await change(id, body))
    },
  )
}

function addDefinition(
  command: ApiCommand,
  { definition, example }: ComputationKind,
  enabled: string,
): ApiCommand {
  return withDefinitionOptions(
    withSwitch(command, enabled, 'do not compute or send changes'),
    definition,
  )
    .option('--dry-run', 'show the request and a preview; change nothing')
    .addHelpText('after', `\n${example}`)
}

async function withDefinition(
  fields: { readonly [Name in keyof RequestedFields]: RequestedFields[Name] | undefined },
  options: ChangeOptions,
  { definition }: ComputationKind,
): Promise<RequestedFields> {
  const value = await definitionOf(options, definition)
  return definedFields({ ...fields, [definition]: value }) as RequestedFields
}

/** Has the service validate the definition. @param space the space of the existing record, for a change */
async function showDryRun(
  context: Context,
  { definition, operations }: ComputationKind,
  body: RequestedFields,
  space = body.space,
): Promise<void> {
  const { output } = context
  const value = body[definition]
  const request = { ...definedFields({ space }), [definition]: value }
  const preview = value === undefined ? null : await operations(context.api).preview(request)
  output.data({ dryRun: true, body, preview }, () =>
    [jsonText(body, 2), ...(preview === null ? [] : [previewText(output, preview)])].join('\n\n'),
  )
}

function show({ output }: Context, record: Computation): void {
  output.data(record, () => computationDetails(output, record))
}
