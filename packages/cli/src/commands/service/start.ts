import type { Config, Service } from '@hookline/server'
import type { ResolvedConfig } from '@hookline/server/config'
import { type Setting, type SettingName, SETTINGS } from '@hookline/server/settings'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { managementApi } from '../../api/management-api.ts'
import { makeSignInLink } from '../../api/sign-in-link.ts'
import { isLoopback, pagesAt, reachableUrl } from '../../loopback.ts'
import { type Output, outputOf } from '../../output/output.ts'
import {
  resolvedConfigFrom,
  type SettingFlags,
  withServerOptions,
} from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'

export function addStart(program: Command): void {
  withServerOptions(program.command('start'))
    .description('run the service in production')
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
    whileRunning: async (service, logger) => {
      const { url, adminUrl, adminToken } = service
      const about = { version: VERSION, url, adminUrl, dataDir: config.dataDir }
      const ready = { ...about, ...pagesAt(adminUrl) }
      const settings = changedSettings(resolved)
      logger.info({ ...ready, settings, note: noteOf(config) }, 'service.listening')
      output.json({ kind: 'ready', ...ready, tokenFile: adminToken.file })
      // The link is a secret: output that does not go to a terminal may be stored.
      if (process.stderr.isTTY) await showSignInLink(service, output)
      return undefined
    },
  })
}

/** Settings that differ from the default, with secrets hidden. */
function changedSettings({ texts }: ResolvedConfig): Readonly<Record<string, string>> {
  const changed = (Object.entries(SETTINGS) as [SettingName, Setting][]).flatMap(
    ([name, { secret, default: usual }]) => {
      const text = texts[name]
      return text === undefined || text === usual ? [] : [[name, secret ? 'hidden' : text]]
    },
  )
  return Object.fromEntries(changed) as Record<string, string>
}

async function showSignInLink({ adminUrl, adminToken }: Service, output: Output): Promise<void> {
  const base = new URL(reachableUrl(adminUrl))
  try {
    const link = await makeSignInLink(base, managementApi(base, adminToken.reveal()))
    output.note(`Console: ${link.url}`)
    output.note('The link works once, within 30 minutes. `hookline console` prints another.')
  } catch (error) {
    output.note(`Cannot create a console link: ${(error as Error).message}`)
  }
}

function noteOf({ host }: Config): string {
  const reach = isLoopback(host)
    ? 'Only this machine can connect. To allow other machines, use --host 0.0.0.0.'
    : 'Other machines can connect.'
  return process.stderr.isTTY
    ? reach
    : `${reach} \`hookline console\` prints a sign-in link for the console.`
}
