import type { Config, Service } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { httpUrl } from '../../api/api-options.ts'
import { type ManagementApi, managementApi } from '../../api/management-api.ts'
import { AttemptWatcher } from '../../dev/attempt-watcher.ts'
import { banner, curlLine, type DevReady } from '../../dev/banner.ts'
import { demoObjects, demoSecret } from '../../dev/demo-objects.ts'
import { watchedAttemptDocument, watchedAttemptLine } from '../../dev/watched-attempt-line.ts'
import { LOOPBACK_NETWORKS, pagesAt, reachableUrl } from '../../loopback.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { deliveryLine } from '../../receiver/delivery-text.ts'
import { Receiver } from '../../receiver/receiver.ts'
import {
  resolvedConfigFrom,
  type SettingFlags,
  withServerOptions,
} from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'

/** `hookline dev`, which is `npm start` */
export function addDev(program: Command): void {
  withServerOptions(program.command('dev'))
    .description('try Hookline: run the service with a demo source, a destination, and a receiver')
    .option('--forward-to <url>', 'deliver to this URL instead of the built-in receiver', httpUrl)
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
  // The receiver must outlive the service, which completes deliveries in flight when it stops.
  await using receivers = new AsyncDisposableStack()
  await serve({
    isLogForPeople: !output.isJson,
    config,
    settings,
    output,
    whileRunning: async (service) => {
      const { file, secret } = demoSecret(config.dataDir)
      const receiver = forwardTo ? undefined : receivers.use(await openReceiver(output, secret))
      const webhookUrl = forwardTo?.href ?? receiver!.url
      const api = managementApi(
        new URL(reachableUrl(service.adminUrl)),
        service.adminToken.reveal(),
      )
      const demo = await demoObjects(api, { url: webhookUrl, secret })
      const watcher = forwardTo && (await watchAttempts(api, demo.destinationId, output))
      announce(output, { ...demo, webhookUrl, secretFile: file, ...aboutService(config, service) })
      return watcher
    },
  })
}

async function openReceiver(output: Output, secret: string): Promise<Receiver> {
  const receiver = new Receiver({
    port: 0,
    secret,
    onDelivery: (delivery) => output.data(delivery, () => deliveryLine(output, delivery)),
  })
  return receiver.listen()
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
