import type { Config } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { isLoopback } from '../../loopback.ts'
import { outputOf } from '../../output/output.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'

/** `hookline start` */
export function addStart(program: Command): void {
  withServerOptions(program.command('start'))
    .description('run the service for production; webhooks on private addresses are refused')
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
      logger.info({ ...ready, note: reachOf(config) }, 'service.listening')
      output.json({ kind: 'ready', ...ready, tokenFile: adminToken.file })
      return undefined
    },
  })
}

function reachOf({ host }: Config): string {
  return isLoopback(host)
    ? 'Only this machine can connect. --host 0.0.0.0 opens the service to other machines.'
    : 'Other machines can connect.'
}
