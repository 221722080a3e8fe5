import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { ApiCommand } from './commands/api-command.ts'
import { addAlerts } from './commands/configuration/alerts.ts'
import { addAudit } from './commands/configuration/audit.ts'
import { addAudiences } from './commands/audiences/audiences.ts'
import { addTraits } from './commands/audiences/traits.ts'
import { addBackup } from './commands/service/backup.ts'
import { addCluster } from './commands/service/cluster.ts'
import { addCompletion } from './commands/service/completion.ts'
import { addConfig } from './commands/service/config.ts'
import { addConsole } from './commands/configuration/console.ts'
import { addDeleteUser } from './commands/users/delete-user.ts'
import { addDeletions } from './commands/users/deletions.ts'
import { addDeliveries } from './commands/deliveries/deliveries.ts'
import { addDemo } from './commands/service/demo.ts'
import { addDestinations } from './commands/configuration/destinations.ts'
import { addDev } from './commands/service/dev.ts'
import { addDoctor } from './commands/service/doctor.ts'
import { addEvents } from './commands/events/events.ts'
import { addExport } from './commands/configuration/export.ts'
import { addImportConfig } from './commands/configuration/import-config.ts'
import { addImport } from './commands/events/import.ts'
import { addInspector } from './commands/events/inspector.ts'
import { addListen } from './commands/events/listen.ts'
import { addMigrate } from './commands/service/migrate.ts'
import { addMigrateData } from './commands/service/migrate-data.ts'
import { addProblems } from './commands/deliveries/problems.ts'
import { addProfiles } from './commands/users/profiles.ts'
import { addReplay } from './commands/deliveries/replay.ts'
import { addReplays } from './commands/deliveries/replays.ts'
import { addRebuild } from './commands/service/rebuild.ts'
import { addRestore } from './commands/service/restore.ts'
import { addSecrets } from './commands/configuration/secrets.ts'
import { addSend } from './commands/events/send.ts'
import { addSessions } from './commands/configuration/sessions.ts'
import { addSources } from './commands/configuration/sources.ts'
import { addStart } from './commands/service/start.ts'
import { addStats } from './commands/events/stats.ts'
import { addSuppressions } from './commands/users/suppressions.ts'
import { addSystem } from './commands/service/system.ts'
import { addTail } from './commands/events/tail.ts'
import { addTokens } from './commands/configuration/tokens.ts'
import { addTrace } from './commands/events/trace.ts'
import { addVersion } from './commands/service/version.ts'
import { EXIT_CODES } from './failure.ts'
import { addExamples, HELP_STYLE } from './help/configure-help.ts'

const GROUPS = {
  'Try it:': [addDev, addCluster, addDemo, addListen],
  'Run the service:': [
    addStart,
    addConfig,
    addDoctor,
    addSystem,
    addMigrate,
    addMigrateData,
    addBackup,
    addRestore,
    addRebuild,
  ],
  'Configure:': [
    addSources,
    addDestinations,
    addAlerts,
    addTokens,
    addSecrets,
    addSessions,
    addExport,
    addImportConfig,
    addAudit,
  ],
  'Send events:': [addSend, addImport],
  'Monitor and debug:': [
    addConsole,
    addProblems,
    addTail,
    addTrace,
    addEvents,
    addDeliveries,
    addStats,
    addInspector,
    addReplay,
    addReplays,
  ],
  'Users:': [addAudiences, addTraits, addProfiles, addDeleteUser, addDeletions, addSuppressions],
  'Other:': [addCompletion, addVersion],
} as const

/**
 * Creates the command line. A usage error is thrown as CommanderError. `onEnter` receives the command that runs or rejects
 * its options.
 */
export function createProgram(onEnter: (command: Command) => void = () => undefined): Command {
  const program = new ApiCommand('hookline')
    .description('Receive analytics events over HTTP and forward them to signed webhooks.')
    .version(VERSION, '-V, --version', 'show the version')
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
    for (const add of commands) add(program)
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
