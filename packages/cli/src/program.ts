import { VERSION } from '@hookline/server/version'
import { Command } from 'commander'
import { addAudiences } from './commands/audiences/audiences.ts'
import { addTraits } from './commands/audiences/traits.ts'
import { addBackup } from './commands/service/backup.ts'
import { addCompletion } from './commands/service/completion.ts'
import { addConfig } from './commands/service/config.ts'
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
import { addListen } from './commands/events/listen.ts'
import { addMigrate } from './commands/service/migrate.ts'
import { addProfiles } from './commands/users/profiles.ts'
import { addReplay } from './commands/deliveries/replay.ts'
import { addReplays } from './commands/deliveries/replays.ts'
import { addRestore } from './commands/service/restore.ts'
import { addSend } from './commands/events/send.ts'
import { addSources } from './commands/configuration/sources.ts'
import { addStart } from './commands/service/start.ts'
import { addSuppressions } from './commands/users/suppressions.ts'
import { addTail } from './commands/events/tail.ts'
import { addTokens } from './commands/configuration/tokens.ts'
import { addTrace } from './commands/events/trace.ts'
import { addVersion } from './commands/service/version.ts'
import { EXIT_CODES } from './failure.ts'

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
  addAudiences,
  addTraits,
  addProfiles,
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

/** The command line with all its commands. A usage error is thrown as CommanderError. */
export function createProgram(): Command {
  const program = new Command('hookline')
    .description('Receives analytics events over HTTP and forwards them to webhooks, signed.')
    .version(VERSION)
    .option('--json', 'print JSON for programs, one document per line')
    .configureHelp({ showGlobalOptions: true })
    // reportFailure prints errors, as text or as JSON.
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .addHelpText('afterAll', `\n${exitCodesHelp()}`)
  for (const add of COMMANDS) add(program)
  return program
}

/** The exit codes, in two lines that fit 80 columns. */
function exitCodesHelp(): string {
  const codes = Object.entries(EXIT_CODES).map(([meaning, code]) => `${code} ${meaning}`)
  const [first, second] = [codes.slice(0, 5), codes.slice(5)].map((line) => line.join(' · '))
  return `Exit codes: ${first}\n            ${second}`
}
