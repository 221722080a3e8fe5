import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf, idsOf } from '../../api/find-id.ts'
import { definedFields } from '../../api/management-api.ts'
import { requireChange } from '../../options/require-change.ts'
import { jsonObjectIn } from '../../options/json-file.ts'
import { computationDetails } from '../../output/users/computation-text.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { jsonText } from '../../output/safe-text.ts'
import { previewText } from '../../output/users/preview-text.ts'
import type { ComputationKind, RequestedFields } from './computation-kind.ts'

interface MakingOptions {
  readonly name?: string
  readonly space?: string
  readonly destination?: string[]
  readonly condition?: string
  readonly compute?: string
  readonly manual?: true
  readonly enabled?: boolean
  readonly disabled?: true
  readonly dryRun?: true
}

/** `create` and `update` of audiences or computed traits. */
export function addMaking(parent: Command, kind: ComputationKind): void {
  const { one, operations } = kind
  addDefinition(withApiOptions(parent.command('create <name>')), kind)
    .description(`create ${one}`)
    .option('--destination <ids...>', 'destinations that changes are sent to')
    .option('--space <space>', 'space of the users; the default is default')
    .option('--disabled', 'compute and send nothing until it is enabled')
    .action(async (name: string, options: MakingOptions, command: Command) => {
      const { destination = [], space, manual, disabled } = options
      const destinationIds = await destinationsOf(command, destination)
      const fields = { name, space, destinationIds, manual }
      const body = await withDefinition({ ...fields, enabled: !disabled }, options, kind)
      if (options.dryRun) return showDryRun(command, kind, body)
      return show(command, await operations(apiOf(command)).create(body))
    })

  addDefinition(withApiOptions(parent.command('update <id>')), kind)
    .description('change the given fields')
    .option('--name <name>', 'new name; the key stays the same')
    .option(
      '--destination <ids...>',
      'destinations that changes are sent to, instead of the others',
    )
    .option('--enabled', 'compute and send again')
    .option('--no-enabled', 'compute and send nothing')
    .action(async (given: string, options: MakingOptions, command: Command) => {
      const { name, destination, enabled } = options
      const api = apiOf(command)
      const id = await idOf(api, kind.kind, given)
      const destinationIds = destination && (await idsOf(api, 'destination', destination))
      const body = await withDefinition({ name, destinationIds, enabled }, options, kind)
      if (!options.dryRun) requireChange(command, body)
      const { get, change } = operations(api)
      if (!options.dryRun) return show(command, await change(id, body))
      const { space } = await get(id)
      return showDryRun(command, kind, body, space)
    })
}

/** Needs no service where no destination is given: a dry run without one makes no request. */
async function destinationsOf(command: Command, given: readonly string[]): Promise<string[]> {
  return given.length === 0 ? [] : idsOf(apiOf(command), 'destination', given)
}

function addDefinition(command: Command, kind: ComputationKind): Command {
  const { definition, definitionHelp, example } = kind
  if (definition === 'condition' && command.name() === 'create')
    command.option('--manual', 'its members are a list, in place of a condition')
  return command
    .option(`--${definition} <file>`, definitionHelp)
    .option('--dry-run', 'show what would be sent, and how many users it is about; change nothing')
    .addHelpText('after', `\n${example}`)
}

async function withDefinition(
  fields: { readonly [Name in keyof RequestedFields]: RequestedFields[Name] | undefined },
  options: MakingOptions,
  { definition, definitionHelp }: ComputationKind,
): Promise<RequestedFields> {
  const file = options[definition]
  const defined = definedFields(fields) as RequestedFields
  if (file === undefined) return defined
  return { ...defined, [definition]: await jsonObjectIn(file, definitionHelp) }
}

/** Has the service validate the definition. @param space of the record that would be changed */
async function showDryRun(
  command: Command,
  { definition, operations }: ComputationKind,
  body: RequestedFields,
  space = body.space,
): Promise<void> {
  const output = outputOf(command)
  const given = body[definition]
  const preview =
    given === undefined
      ? null
      : await operations(apiOf(command)).preview({
          ...definedFields({ space }),
          [definition]: given,
        })
  output.data({ dryRun: true, body, preview }, () =>
    [jsonText(body, 2), ...(preview === null ? [] : [previewText(output, preview)])].join('\n\n'),
  )
}

function show(command: Command, record: Parameters<typeof computationDetails>[1]): void {
  const output: Output = outputOf(command)
  output.data(record, () => computationDetails(output, record))
}
