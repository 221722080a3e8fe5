import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { ApiCommand } from './commands/api-command.ts'
import { EXIT_CODES } from './failure.ts'
import { addExamples, HELP_STYLE } from './help/configure-help.ts'

type AddCommand = (program: ApiCommand) => void

/** The commands by name, loaded on demand: loading all of them would take most of a command's run time. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommand>>>>> = {
  'Try Hookline:': {
    dev: async () => (await import('./commands/service/dev.ts')).addDev,
    cluster: async () => (await import('./commands/service/cluster.ts')).addCluster,
    demo: async () => (await import('./commands/service/demo.ts')).addDemo,
    listen: async () => (await import('./commands/events/listen.ts')).addListen,
  },
  'Run the service:': {
    start: async () => (await import('./commands/service/start.ts')).addStart,
    config: async () => (await import('./commands/service/config.ts')).addConfig,
    doctor: async () => (await import('./commands/service/doctor.ts')).addDoctor,
    system: async () => (await import('./commands/service/system.ts')).addSystem,
    migrate: async () => (await import('./commands/service/migrate.ts')).addMigrate,
    'migrate-data': async () => (await import('./commands/service/migrate-data.ts')).addMigrateData,
    backup: async () => (await import('./commands/service/backup.ts')).addBackup,
    restore: async () => (await import('./commands/service/restore.ts')).addRestore,
    rebuild: async () => (await import('./commands/service/rebuild.ts')).addRebuild,
  },
  'Configure:': {
    sources: async () => (await import('./commands/configuration/sources.ts')).addSources,
    destinations: async () =>
      (await import('./commands/configuration/destinations.ts')).addDestinations,
    alerts: async () => (await import('./commands/configuration/alerts.ts')).addAlerts,
    tokens: async () => (await import('./commands/configuration/tokens.ts')).addTokens,
    secrets: async () => (await import('./commands/configuration/secrets.ts')).addSecrets,
    sessions: async () => (await import('./commands/configuration/sessions.ts')).addSessions,
    export: async () => (await import('./commands/configuration/export.ts')).addExport,
    'import-config': async () =>
      (await import('./commands/configuration/import-config.ts')).addImportConfig,
    audit: async () => (await import('./commands/configuration/audit.ts')).addAudit,
  },
  'Send events:': {
    send: async () => (await import('./commands/events/send.ts')).addSend,
    import: async () => (await import('./commands/events/import.ts')).addImport,
  },
  'Monitor and debug:': {
    console: async () => (await import('./commands/configuration/console.ts')).addConsole,
    problems: async () => (await import('./commands/deliveries/problems.ts')).addProblems,
    tail: async () => (await import('./commands/events/tail.ts')).addTail,
    trace: async () => (await import('./commands/events/trace.ts')).addTrace,
    events: async () => (await import('./commands/events/events.ts')).addEvents,
    deliveries: async () => (await import('./commands/deliveries/deliveries.ts')).addDeliveries,
    stats: async () => (await import('./commands/events/stats.ts')).addStats,
    inspector: async () => (await import('./commands/events/inspector.ts')).addInspector,
    replay: async () => (await import('./commands/deliveries/replay.ts')).addReplay,
    replays: async () => (await import('./commands/deliveries/replays.ts')).addReplays,
  },
  'Users:': {
    audiences: async () => (await import('./commands/audiences/audiences.ts')).addAudiences,
    traits: async () => (await import('./commands/audiences/traits.ts')).addTraits,
    profiles: async () => (await import('./commands/users/profiles.ts')).addProfiles,
    'delete-user': async () => (await import('./commands/users/delete-user.ts')).addDeleteUser,
    deletions: async () => (await import('./commands/users/deletions.ts')).addDeletions,
    suppressions: async () => (await import('./commands/users/suppressions.ts')).addSuppressions,
  },
  'Other:': {
    completion: async () => (await import('./commands/service/completion.ts')).addCompletion,
    version: async () => (await import('./commands/service/version.ts')).addVersion,
  },
}

const VERSION_FLAGS = ['-V', '--version']

interface ProgramOptions {
  /** Called with the command before it runs, or if its arguments are rejected. */
  readonly onEnter?: (command: Command) => void
  /** Only the command that these arguments name is loaded. */
  readonly args?: readonly string[]
}

/** Creates the command line. A usage error is thrown as CommanderError. */
export async function createProgram({
  onEnter = () => undefined,
  args = [],
}: ProgramOptions = {}): Promise<Command> {
  const only = commandIn(args)
  const program = new ApiCommand('hookline')
    .description('Receive analytics events over HTTP and forward them as signed webhooks.')
    .version(VERSION, VERSION_FLAGS.join(', '), 'show the version')
    .option('--json', 'print JSON, one document per line')
    .helpOption('-h, --help', 'show this help')
    .configureHelp(HELP_STYLE)
    // reportFailure prints errors, as text or as JSON.
    .configureOutput({ outputError: () => {} })
    .hook('preAction', (_program, command) => onEnter(command))
    .addHelpText('after', GETTING_STARTED)
    .addHelpText('afterAll', `\n${exitCodesHelp()}`)
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    const needed = Object.entries(commands).filter(([name]) => name === (only ?? name))
    const loaded = await Promise.all(needed.map(([, load]) => load()))
    for (const add of loaded) add(program)
  }
  addExamples(program)
  for (const command of withSubcommands(program)) {
    command.exitOverride((error) => {
      onEnter(command)
      throw error
    })
  }
  return program.helpCommand('help [command]', 'show help for a command')
}

/** The command that the arguments name; `undefined` if all are needed, such as for help. */
function commandIn(args: readonly string[]): string | undefined {
  // Options before the command name take no values.
  const name = args.find((each) => !each.startsWith('-'))
  if (name === undefined)
    return args.some((each) => VERSION_FLAGS.includes(each)) ? 'version' : undefined
  // Its script lists all commands.
  if (name === 'completion') return undefined
  const command = name === 'users' ? 'profiles' : name
  return Object.values(GROUPS).some((group) => Object.hasOwn(group, command)) ? command : undefined
}

const GETTING_STARTED = `
Get started: hookline dev
Help for a command: hookline deliveries list --help`

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

function exitCodesHelp(): string {
  const codes = Object.entries(EXIT_CODES).map(([meaning, code]) => `${code} ${meaning}`)
  const [first, second] = [codes.slice(0, 5), codes.slice(5)].map((line) => line.join(' · '))
  return `Exit codes: ${first}\n            ${second}`
}
