import type { Config } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { outputOf } from '../../output/output-of.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'

/** `hookline start` */
export function addStart(program: Command): void {
  withServerOptions(program.command('start'))
    .description('run the service: no demo objects, private addresses refused')
    .action(start)
}

async function start(flags: SettingFlags, command: Command): Promise<void> {
  const config = await configFrom(flags)
  const output = outputOf(command)
  await serve({
    config,
    output,
    whileRunning: async ({ url, adminUrl, adminToken }, logger) => {
      const ready = { version: VERSION, url, adminUrl, dataDir: config.dataDir }
      logger.info(ready, `Hookline listens on ${url}. ${reachOf(config)}`)
      output.json({ kind: 'ready', ...ready, tokenFile: adminToken.file })
      return undefined
    },
  })
}

function reachOf({ host }: Config): string {
  return ['127.0.0.1', '::1', 'localhost'].includes(host)
    ? 'Only this machine can reach it; --host 0.0.0.0 opens it to others.'
    : 'Other machines may reach it.'
}
