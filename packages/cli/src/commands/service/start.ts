import type { Config } from '@hookline/server'
import type { ResolvedConfig } from '@hookline/server/config'
import { type Setting, type SettingName, SETTINGS } from '@hookline/server/settings'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { isLoopback, pagesAt } from '../../loopback.ts'
import { outputOf } from '../../output/output.ts'
import {
  resolvedConfigFrom,
  type SettingFlags,
  withServerOptions,
} from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'

/** `hookline start` */
export function addStart(program: Command): void {
  withServerOptions(program.command('start'))
    .description('run the service for production; webhooks on private addresses are refused')
    .action(start)
}

async function start(flags: SettingFlags, command: Command): Promise<void> {
  const resolved = await resolvedConfigFrom(flags)
  const { config } = resolved
  const output = outputOf(command)
  await serve({
    config,
    settings: resolved,
    output,
    whileRunning: async ({ url, adminUrl, adminToken }, logger) => {
      const about = { version: VERSION, url, adminUrl, dataDir: config.dataDir }
      const ready = { ...about, ...pagesAt(adminUrl) }
      const settings = changedSettings(resolved)
      logger.info({ ...ready, settings, note: reachOf(config) }, 'service.listening')
      output.json({ kind: 'ready', ...ready, tokenFile: adminToken.file })
      return undefined
    },
  })
}

/** The settings whose value differs from the default, as a user would write them, without secrets. */
function changedSettings({ texts }: ResolvedConfig): Readonly<Record<string, string>> {
  const changed = (Object.entries(SETTINGS) as [SettingName, Setting][]).flatMap(
    ([name, { secret, default: usual }]) => {
      const text = texts[name]
      return text === undefined || text === usual ? [] : [[name, secret ? 'hidden' : text]]
    },
  )
  return Object.fromEntries(changed) as Record<string, string>
}

function reachOf({ host }: Config): string {
  return isLoopback(host)
    ? 'Only this machine can connect. --host 0.0.0.0 opens the service to other machines.'
    : 'Other machines can connect.'
}
