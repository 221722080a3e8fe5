import { INSPECTOR_URL } from '@hookline/protocol'
import type { Config, Service } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { httpUrl } from '../../api/api-options.ts'
import { type ManagementApi, managementApi } from '../../api/management-api.ts'
import { AttemptWatcher } from '../../dev/attempt-watcher.ts'
import { banner, curlLine, type DevReady } from '../../dev/banner.ts'
import { demoObjects, demoSecret } from '../../dev/demo-objects.ts'
import { watchedAttemptDocument, watchedAttemptLine } from '../../dev/watched-attempt-line.ts'
import { inspectedDelivery } from '../../dev/inspected-delivery.ts'
import { isLoopback, LOOPBACK_NETWORKS, pagesAt, reachableUrl } from '../../loopback.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { deliveryLine } from '../../receiver/delivery-text.ts'
import {
  resolvedConfigFrom,
  type SettingFlags,
  withServerOptions,
} from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'

/** `hookline dev`, which is `npm start` */
export function addDev(program: Command): void {
  withServerOptions(program.command('dev'))
    .description(
      'try Hookline: run the service with a demo source, and a destination that delivers to its inspector',
    )
    .option('--forward-to <url>', 'deliver to this URL instead of the inspector', httpUrl)
    .action(dev)
}

type DevOptions = SettingFlags & { readonly forwardTo?: URL }

async function dev({ forwardTo, ...flags }: DevOptions, command: Command): Promise<void> {
  const { config: configured, texts, origins } = await resolvedConfigFrom(flags)
  const allowedNetworks = [...configured.allowedNetworks, ...LOOPBACK_NETWORKS]
  const config = { ...configured, allowedNetworks }
  // This command has changed it: that is no origin of a setting.
  const { allowedNetworks: _changed, ...known } = origins
  const settings = {
    texts: { ...texts, allowedNetworks: allowedNetworks.join(',') },
    origins: known,
  }
  const output = outputOf(command)
  const isOpenHere = isLoopback(config.adminPort === undefined ? config.host : config.adminHost)
  await serve({
    isLogForPeople: !output.isJson,
    config,
    settings,
    output,
    isOpenHere,
    onInspected: (request) => {
      const delivery = inspectedDelivery(request)
      output.data(delivery, () => deliveryLine(output, delivery))
    },
    whileRunning: async (service) => {
      const { file, secret } = demoSecret(config.dataDir)
      const webhookUrl = forwardTo?.href ?? INSPECTOR_URL
      const api = managementApi(
        new URL(reachableUrl(service.adminUrl)),
        service.adminToken.reveal(),
      )
      const demo = await demoObjects(api, { url: webhookUrl, secret })
      const watcher = forwardTo && (await watchAttempts(api, demo.destinationId, output))
      const about = { ...aboutService(config, service), isOpenHere }
      announce(output, { ...demo, webhookUrl, secretFile: file, ...about })
      return watcher
    },
  })
}

async function watchAttempts(
  api: ManagementApi,
  destinationId: string,
  output: Output,
): Promise<AttemptWatcher> {
  const watcher = new AttemptWatcher(api, destinationId)
  await watcher.start(
    (attempt) =>
      output.data(watchedAttemptDocument(attempt), () => watchedAttemptLine(output, attempt)),
    (error) => output.note(`Cannot show deliveries: ${(error as Error).message}`),
  )
  return watcher
}

function aboutService({ dataDir, allowedNetworks }: Config, { url, ...service }: Service) {
  const { adminUrl, adminToken } = service
  const about = { url: reachableUrl(url), ...pagesAt(adminUrl) }
  return { ...about, dataDir, allowedNetworks, tokenFile: adminToken.file }
}

function announce(output: Output, about: Omit<DevReady, 'kind' | 'version' | 'curl'>): void {
  const curl = curlLine(about.url, about.writeKey)
  const ready: DevReady = { kind: 'ready', version: VERSION, ...about, curl }
  output.data(ready, () => banner(output, ready))
}
