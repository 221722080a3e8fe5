import { TIME_UNITS } from '@hookline/protocol'
import { EXIT_CODES } from '../../packages/cli/src/failure.ts'
import { argumentTerm } from '../../packages/cli/src/help/configure-help.ts'
import { EXAMPLES } from '../../packages/cli/src/help/configure-help.ts'
import { createProgram } from '../../packages/cli/src/program.ts'
import { SETTINGS } from '../../packages/server/src/settings.ts'
import { code, page, plain, table } from './markdown.ts'

type Command = ReturnType<typeof createProgram>
type Option = Command['options'][number]
type Argument = Command['registeredArguments'][number]

/** docs/reference/cli.md: every command of `hookline` with its arguments and options. */
export function cliPage(): string {
  const program = createProgram()
  return page(
    '# The command `hookline`',
    'In a clone of the repository, write `npx hookline`. `hookline COMMAND --help` shows the same as this page.',
    '## What all commands have in common',
    'Results go to stdout, everything else to stderr. With `--json`, before or after the name of the command, every result is one line of JSON. Lists are `{"data": […], "nextCursor": …}`; `nextCursor` is `null` on the last page. An error is `{"error": {"code": …, "message": …, "hint": …, "errors": […], "exitCode": …}}` on stderr. `message`, `hint` and `errors` of a request that the service refused are the `title`, `detail` and `errors` of its response.',
    'On a terminal, a list fits the width: long names are cut with …, ids never are, and the least important columns are left out. `COLUMNS` sets another width. When a program or a file reads the output, nothing is cut, and times are ISO 8601 in UTC; on a terminal, lists show how long ago they are. Characters that act on a terminal, or that nobody sees, are shown as escapes like `\\x1b`. There are colours on a terminal only: `NO_COLOR`, `TERM=dumb` and `FORCE_COLOR=0` turn them off, `FORCE_COLOR=1` turns them on.',
    `A time is ISO 8601, or a span: \`90s\`, \`1h30m\`, \`7d\` (units: ${Object.keys(TIME_UNITS).map(code).join(', ')}). For a time in the past, such as \`--from\`, it is how long ago; for one to come, such as \`--expires\`, how long from now.`,
    '## Exit codes',
    exitCodesTable(),
    '## Confirmation',
    'A command that destroys something asks first, on a terminal. Without a terminal it changes nothing and exits with 2, unless `--yes` is given. These are `delete` of sources, destinations, tokens, audiences and computed traits, `sources remove-key`, `delete-user`, `restore --replace` and `audiences import --replace`.',
    '## Ids and names',
    'Where a command takes the id of a source, a destination, an audience, a computed trait or a token, it takes its exact name too. A name that several have is refused with their ids.',
    '## Options of the service’s commands',
    'Every command that asks a running service has these options.',
    optionsTable(serviceOptions(program)),
    ...program.commands.flatMap((command) => sectionOf(command)),
  )
}

function exitCodesTable(): string {
  const rows = Object.entries(EXIT_CODES).map(([name, number]) => {
    const [meaning, action] = MEANINGS[name as keyof typeof EXIT_CODES]
    return [code(`${number}`), name, plain(meaning), plain(action)]
  })
  return table(['code', 'name', 'meaning', 'what a script does'], rows)
}

/** What each exit code means, and what a script does about it. */
const MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, readonly [string, string]>> = {
  ok: ['The command did what it should.', 'Go on.'],
  failed: [
    'The command failed, or the service refused the change in its present state.',
    'Read the message on stderr.',
  ],
  usage: [
    'An option, an argument, a file or a value is not valid, or a confirmation is missing.',
    'Correct the command. A retry does not help.',
  ],
  auth: [
    'The token or the write key is missing, not valid, or has too low a role.',
    'Give another token or write key.',
  ],
  'not found': ['Nothing has the id or the name.', 'Check the id. It may have been deleted.'],
  unreachable: ['No service responds, or it has no database at the moment.', 'Try again later.'],
  partial: [
    'A part was done: some lines were rejected, or some webhooks refused the test.',
    'Read the list that the command names.',
  ],
  unhealthy: ['A check of `hookline doctor` failed.', 'Read the failed checks.'],
  interrupted: ['Ctrl-C or a signal ended the command.', 'Run it again: an import continues.'],
}

const SERVICE_OPTIONS = ['--url', '--token-file', '--data-dir']

function serviceOptions(program: Command): readonly Option[] {
  const command = program.commands.find((each) => each.name() === 'trace')!
  return command.options.filter(({ long }) => SERVICE_OPTIONS.includes(long ?? ''))
}

function sectionOf(command: Command, path = 'hookline', level = '##'): string[] {
  const name = `${path} ${command.name()}`
  const usage = [name, ...command.registeredArguments.map(argumentTerm)].join(' ')
  const below = command.commands.filter((each) => each.name() !== 'help')
  return [
    `${level} ${code(usage)}`,
    `${sentence(command.description())}${asksService(command) ? ' It asks a running service.' : ''}`,
    ...argumentsTable(command.registeredArguments),
    ...ownOptions(command),
    ...exampleOf(name.replace('hookline ', '')),
    ...below.flatMap((each) => sectionOf(each, name, '###')),
  ]
}

function exampleOf(name: string): string[] {
  return EXAMPLES[name] === undefined ? [] : [`For example: ${code(EXAMPLES[name])}`]
}

function asksService(command: Command): boolean {
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
  const hidden = asksService(command) ? SERVICE_OPTIONS : []
  const own = command.options.filter((option) => !hidden.includes(option.long ?? ''))
  const isStart = settings.every((name) => own.some((option) => option.attributeName() === name))
  const rest = isStart ? own.filter((option) => !settings.includes(option.attributeName())) : own
  return [
    ...(rest.length === 0 ? [] : [optionsTable(rest)]),
    ...(isStart ? ['It also takes a flag for each of the [settings](config.md).'] : []),
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
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`
  return plain(`${description}${choices}`)
}

function sentence(text: string): string {
  return plain(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`)
}
