import type { Config, Service } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { type ManagementApi, managementApi } from '../../api/management-api.ts'
import { httpUrl } from '../../api/service-url.ts'
import { attemptDocument, attemptLine } from '../../dev/attempt-line.ts'
import { banner, type DevReady } from '../../dev/banner.ts'
import { curlLine } from '../../dev/curl-line.ts'
import { DeliveryFeed } from '../../dev/delivery-feed.ts'
import { demoObjects } from '../../dev/demo-objects.ts'
import { devSecret } from '../../dev/dev-secret.ts'
import { outputOf } from '../../output/output-of.ts'
import type { Output } from '../../output/output.ts'
import { deliveryLine } from '../../receiver/delivery-line.ts'
import { Receiver } from '../../receiver/receiver.ts'
import { LOOPBACK_NETWORKS } from '../../service/loopback.ts'
import { reachableUrl } from '../../service/reachable-url.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'

/** `hookline dev`, which is `npm start` */
export function addDev(program: Command): void {
  withServerOptions(program.command('dev'))
    .description('try it: the service, a demo source and destination, and a receiver that shows it')
    .option('--forward-to <url>', 'deliver there in place of the built-in receiver', httpUrl)
    .action(dev)
}

type DevOptions = SettingFlags & { readonly forwardTo?: URL }

async function dev({ forwardTo, ...flags }: DevOptions, command: Command): Promise<void> {
  const given = await configFrom(flags)
  const allowedNetworks = [...given.allowedNetworks, ...LOOPBACK_NETWORKS]
  const config = { ...given, allowedNetworks }
  const output = outputOf(command)
  // The receiver outlives the service, which delivers what is in flight when it stops.
  await using afterwards = new AsyncDisposableStack()
  await serve({
    config,
    output,
    whileRunning: async (service) => {
      const { file, secret } = devSecret(config.dataDir)
      const receiver = forwardTo ? undefined : afterwards.use(await openReceiver(output, secret))
      const webhookUrl = forwardTo?.href ?? receiver!.url
      const api = managementApi(
        new URL(reachableUrl(service.adminUrl)),
        service.adminToken.reveal(),
      )
      const demo = await demoObjects(api, { url: webhookUrl, secret })
      const feed = forwardTo && (await openFeed(api, demo.destinationId, output))
      announce(output, { ...demo, webhookUrl, secretFile: file, ...aboutService(config, service) })
      return feed
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

async function openFeed(
  api: ManagementApi,
  destinationId: string,
  output: Output,
): Promise<DeliveryFeed> {
  const feed = new DeliveryFeed(api, destinationId)
  await feed.start(
    (fed) => output.data(attemptDocument(fed), () => attemptLine(output, fed)),
    (error) => output.note(`The deliveries cannot be shown: ${(error as Error).message}`),
  )
  return feed
}

function aboutService({ dataDir, allowedNetworks }: Config, { url, adminToken }: Service) {
  return { url: reachableUrl(url), dataDir, allowedNetworks, tokenFile: adminToken.file }
}

function announce(output: Output, about: Omit<DevReady, 'kind' | 'version' | 'curl'>): void {
  const curl = curlLine(about.url, about.writeKey)
  const ready: DevReady = { kind: 'ready', version: VERSION, ...about, curl }
  output.data(ready, () => banner(output, ready))
}
