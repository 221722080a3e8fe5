import { TIME_UNITS } from '@hookline/protocol'
import { EXIT_CODES } from '../../packages/cli/src/failure.ts'
import { argumentTerm } from '../../packages/cli/src/help/configure-help.ts'
import { EXAMPLES } from '../../packages/cli/src/help/configure-help.ts'
import { createProgram } from '../../packages/cli/src/program.ts'
import { SETTINGS } from '../../packages/server/src/settings.ts'
import { code, page, plain, table } from './markdown.ts'

const program = await createProgram()

type Command = typeof program
type Option = Command['options'][number]
type Argument = Command['registeredArguments'][number]

/** docs/reference/cli.md: every command of `hookline` with its arguments and options. */
export function cliPage(): string {
  return page(
    '# The `hookline` command',
    'In a clone of the repository, run `npx hookline`. `hookline COMMAND --help` describes a command and its options.',
    '## Common behaviour',
    'Results are written to stdout, everything else to stderr. With `--json`, before or after the command name, every result is one line of JSON. A list is `{"data": […], "nextCursor": …}`; `nextCursor` is `null` on the last page. An error is `{"error": {"code": …, "message": …, "hint": …, "errors": […], "exitCode": …}}` on stderr. If the management API rejected a request, `message` and `errors` are the `title` and `errors` of its response. `hint` is the `detail` of the response, or other instructions. If each entry in `errors` has a hint, the top-level `hint` is `null`.',
    'On a terminal, lists are fitted to its width: if necessary, long names are truncated with …, and the least important columns are omitted. Ids are never truncated. Lists show relative times. If the output is not a terminal, nothing is truncated, and times are ISO 8601 in UTC. `COLUMNS` overrides the width; lists are then fitted even if the output is not a terminal.',
    'Control characters and invisible characters are shown as escapes like `\\x1b`. By default, colours are used on a terminal only. `NO_COLOR`, `TERM=dumb` and `FORCE_COLOR=0` turn them off, `FORCE_COLOR=1` turns them on.',
    `A time is ISO 8601 or a duration: \`90s\`, \`1h30m\`, \`7d\` (units: ${Object.keys(TIME_UNITS).map(code).join(', ')}). For a time in the past, such as \`--from\`, the duration counts back from now; for a time in the future, such as \`--expires\`, it counts from now.`,
    '## Exit codes',
    exitCodesTable(),
    '## Confirmation',
    'On a terminal, destructive commands ask for confirmation. Without a terminal, they change nothing and exit with 2 unless you pass `--yes`. The destructive commands are the `delete` commands for sources, destinations, tokens, audiences and computed traits, and `sources remove-key`, `alerts remove`, `delete-user`, `restore --replace`, `rebuild` and `audiences import --replace`.',
    '## Ids and names',
    'Instead of the id of a source, a destination, an audience, a computed trait or a token, you can use its exact name. If the name is not unique, the command fails and lists the ids.',
    '## Connection options',
    'Every command that sends requests to a running service has these options.',
    optionsTable(serviceOptions()),
    ...program.commands.flatMap((command) => sectionOf(command)),
  )
}

function exitCodesTable(): string {
  const rows = Object.entries(EXIT_CODES).map(([name, number]) => {
    const [meaning, action] = MEANINGS[name as keyof typeof EXIT_CODES]
    return [code(`${number}`), name, plain(meaning), plain(action)]
  })
  return table(['code', 'name', 'meaning', 'what to do in a script'], rows)
}

/** The meaning of each exit code, and how a script should react. */
const MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, readonly [string, string]>> = {
  ok: ['The command succeeded.', 'Continue.'],
  failed: [
    'The command failed, or the change is not possible in the current state.',
    'Read the message on stderr.',
  ],
  usage: [
    'An option, an argument, a file or a value is invalid, or a confirmation is missing.',
    'Fix the command. Do not retry it unchanged.',
  ],
  auth: [
    "The token or the write key is missing or invalid, the token's role is not sufficient, or the source is disabled.",
    'Use another token or write key, or enable the source.',
  ],
  'not found': [
    'Nothing with this id or name exists, or the file to import does not exist.',
    'Check the id, name or path. A record may have been deleted.',
  ],
  unreachable: ['The service does not respond, or is temporarily unavailable.', 'Try again later.'],
  partial: [
    'The command succeeded in part: some lines were rejected, or some webhooks did not accept the test.',
    'Check the rejected lines or webhooks that the command reports.',
  ],
  unhealthy: [
    '`hookline doctor` found a failed check, lost data or a failing destination.',
    'Fix the failed checks.',
  ],
  interrupted: [
    'Ctrl-C or a signal stopped the command before it was complete.',
    'Run it again. `hookline import` resumes.',
  ],
}

const SERVICE_OPTIONS = ['--url', '--token-file', '--data-dir']

function serviceOptions(): readonly Option[] {
  const command = program.commands.find((each) => each.name() === 'trace')!
  return command.options.filter(({ long }) => SERVICE_OPTIONS.includes(long ?? ''))
}

function sectionOf(command: Command, path = 'hookline', level = '##'): string[] {
  const name = `${path} ${command.name()}`
  const usage = [name, ...command.registeredArguments.map(argumentTerm)].join(' ')
  const below = command.commands.filter((each) => each.name() !== 'help')
  return [
    `${level} ${code(usage)}`,
    `${sentence(command.description())}${requiresService(command) ? ' Requires a running service.' : ''}`,
    ...argumentsTable(command.registeredArguments),
    ...ownOptions(command),
    ...exampleOf(name.replace('hookline ', '')),
    ...below.flatMap((each) => sectionOf(each, name, '###')),
  ]
}

function exampleOf(name: string): string[] {
  return EXAMPLES[name] === undefined ? [] : [`For example: ${code(EXAMPLES[name])}`]
}

/** `doctor` and `backup --stopped` also work on the data folder of a stopped service. */
function requiresService(command: Command): boolean {
  const worksWithout = ['doctor', 'backup'].includes(command.name())
  return usesService(command) && !worksWithout
}

function usesService(command: Command): boolean {
  return SERVICE_OPTIONS.every((long) => command.options.some((option) => option.long === long))
}

function argumentsTable(all: readonly Argument[]): string[] {
  const described = all.filter(({ description }) => description !== '')
  if (described.length === 0) return []
  const rows = described.map((each) => [code(argumentTerm(each)), textOf(each)])
  return [table(['argument', 'meaning'], rows)]
}

function ownOptions(command: Command): string[] {
  const settings = Object.keys(SETTINGS)
  // The default URL of doctor is different.
  const hidden = usesService(command) && command.name() !== 'doctor' ? SERVICE_OPTIONS : []
  const own = command.options.filter((option) => !hidden.includes(option.long ?? ''))
  const takesSettings = settings.every((name) =>
    command.options.some((option) => option.attributeName() === name),
  )
  const rest = takesSettings
    ? own.filter((option) => !settings.includes(option.attributeName()))
    : own
  return [
    ...(rest.length === 0 ? [] : [optionsTable(rest)]),
    ...(takesSettings
      ? ['The command also has a flag for each of the [settings](config.md).']
      : []),
  ]
}

function optionsTable(options: readonly Option[]): string {
  return table(
    ['option', 'default', 'meaning'],
    options.map((option) => [code(option.flags), defaultOf(option), textOf(option)]),
  )
}

function defaultOf({ defaultValue, defaultValueDescription, mandatory }: Option): string {
  if (mandatory) return 'required'
  if (defaultValueDescription !== undefined) return code(defaultValueDescription)
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return isShown ? code(`${defaultValue}`) : ''
}

function textOf({ description, argChoices }: Pick<Option, 'description' | 'argChoices'>): string {
  const choices = argChoices === undefined ? '' : ` (choices: ${argChoices.join(', ')})`
  return plain(`${description}${choices}`)
}

function sentence(text: string): string {
  return plain(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`)
}
