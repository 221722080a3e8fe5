import { VERSION } from '@hookline/server/version'
import { Command } from 'commander'
import { addBackup } from './commands/backup.ts'
import { addCompletion } from './commands/completion.ts'
import { addConfig } from './commands/config.ts'
import { addDeleteUser } from './commands/delete-user.ts'
import { addDeletions } from './commands/deletions.ts'
import { addDeliveries } from './commands/deliveries.ts'
import { addDemo } from './commands/demo.ts'
import { addDestinations } from './commands/destinations.ts'
import { addDev } from './commands/dev.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEvents } from './commands/events.ts'
import { addExport } from './commands/export.ts'
import { addImportConfig } from './commands/import-config.ts'
import { addImport } from './commands/import.ts'
import { addListen } from './commands/listen.ts'
import { addMigrate } from './commands/migrate.ts'
import { addReplay } from './commands/replay.ts'
import { addReplays } from './commands/replays.ts'
import { addRestore } from './commands/restore.ts'
import { addSend } from './commands/send.ts'
import { addSources } from './commands/sources.ts'
import { addStart } from './commands/start.ts'
import { addSuppressions } from './commands/suppressions.ts'
import { addTail } from './commands/tail.ts'
import { addTokens } from './commands/tokens.ts'
import { addTrace } from './commands/trace.ts'
import { addVersion } from './commands/version.ts'
import { EXIT_CODES_HELP } from './exit-codes.ts'

const COMMANDS = [
  addStart,
  addDev,
  addDemo,
  addListen,
  addSend,
  addImport,
  addSources,
  addDestinations,
  addTokens,
  addEvents,
  addDeliveries,
  addTrace,
  addTail,
  addReplay,
  addReplays,
  addDeleteUser,
  addDeletions,
  addSuppressions,
  addConfig,
  addDoctor,
  addMigrate,
  addBackup,
  addRestore,
  addExport,
  addImportConfig,
  addCompletion,
  addVersion,
]

/** The whole command line: what it takes, and what it runs. Faults of usage are thrown as CommanderError. */
export function createProgram(): Command {
  const program = new Command('hookline')
    .description('Analytics events to signed webhooks: nothing lost, nothing hidden.')
    .version(VERSION)
    .option('--json', 'print JSON for programs, one document a line')
    .configureHelp({ showGlobalOptions: true })
    // reportFailure says it, in the form that was asked for.
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .addHelpText('afterAll', `\n${EXIT_CODES_HELP}`)
  for (const add of COMMANDS) add(program)
  return program
}
