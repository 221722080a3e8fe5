import { setTimeout as sleep } from 'node:timers/promises'
import { INSPECTOR_URL } from '@hookline/protocol'
import type { Config, InspectedRequest, Service } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { httpUrl } from '../../api/api-options.ts'
import type { Delivery, Event } from '../../api/generated/management-client.ts'
import { type ManagementApi, managementApi } from '../../api/management-api.ts'
import { banner, curlLine, type DevReady } from '../../dev/banner.ts'
import { demoObjects, demoSecret } from '../../dev/demo-objects.ts'
import { isLoopback, LOOPBACK_NETWORKS, pagesAt, reachableUrl } from '../../loopback.ts'
import { outcomeColour } from '../../output/deliveries/attempt-line.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { deliveryLine } from '../../receiver/delivery-text.ts'
import {
  resolvedConfigFrom,
  type SettingFlags,
  withServerOptions,
} from '../../service/server-options.ts'
import { serve } from '../../service/serve.ts'
import { type ReceivedDelivery, receivedDelivery } from '../../receiver/received-delivery.ts'
import { eventCells, summaryOf } from '../../output/events/event-summary.ts'
import { printableText } from '../../output/safe-text.ts'

export function addDev(program: Command): void {
  withServerOptions(program.command('dev'))
    .description('run the service with a demo source and destination')
    .option('--forward-to <url>', 'deliver to this URL instead of the inspector', httpUrl)
    .action(dev)
}

type DevOptions = SettingFlags & { readonly forwardTo?: URL }

async function dev({ forwardTo, ...flags }: DevOptions, command: Command): Promise<void> {
  const { config: configured, texts, origins } = await resolvedConfigFrom(flags)
  const allowedNetworks = [...configured.allowedNetworks, ...LOOPBACK_NETWORKS]
  const config = { ...configured, allowedNetworks }
  // Set by this command, so it has no origin in the settings.
  const { allowedNetworks: _changed, ...known } = origins
  const settings = {
    texts: { ...texts, allowedNetworks: allowedNetworks.join(',') },
    origins: known,
  }
  const output = outputOf(command)
  const allowsLocalAccess = isLoopback(
    config.adminPort === undefined ? config.host : config.adminHost,
  )
  await serve({
    isLogFormatted: !output.isJson,
    config,
    settings,
    output,
    allowsLocalAccess,
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
      const watcher =
        forwardTo &&
        (await watchAttempts(
          api,
          demo.destinationId,
          (attempt) => output.data(attemptDocument(attempt), () => attemptLine(output, attempt)),
          (error) => output.note(`Cannot show deliveries: ${(error as Error).message}`),
        ))
      const about = { ...aboutService(config, service), allowsLocalAccess }
      const ready: DevReady = {
        kind: 'ready',
        version: VERSION,
        ...demo,
        webhookUrl,
        secretFile: file,
        ...about,
        curl: curlLine(about.url, demo.writeKey),
      }
      output.data(ready, () => banner(output, ready))
      return watcher
    },
  })
}

function aboutService({ dataDir, allowedNetworks }: Config, { url, ...service }: Service) {
  const { adminUrl, adminToken } = service
  const about = { url: reachableUrl(url), ...pagesAt(adminUrl) }
  return { ...about, dataDir, allowedNetworks, tokenFile: adminToken.file }
}

/** Converts a request to the form that `hookline listen` prints. */
function inspectedDelivery(request: InspectedRequest): ReceivedDelivery {
  const { headers: pairs, body, receivedAt, response } = request
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))
  const { verdict, xSignature, webhookSignature } = request.signature
  return receivedDelivery(
    { headers, body: body.toString() },
    {
      signature: { verdict, xSignature, webhookSignature },
      nowMs: receivedAt,
      responseStatus: response.status,
    },
  )
}

/** An attempt in the `--json` output; `null` means absent. */
function attemptDocument({ delivery, attempt, event }: WatchedAttempt): object {
  return {
    kind: 'attempt',
    at: attempt.startedAt,
    ...summaryOf(event),
    messageId: event['messageId'],
    webhookId: delivery.id,
    attempt: attempt.number,
    url: attempt.url,
    outcome: attempt.outcome,
    class: attempt.class,
    status: attempt.status ?? null,
    error: attempt.error ?? null,
    durationMs: attempt.durationMs,
    nextAttemptAt: delivery.nextAttemptAt,
  }
}

function attemptLine(output: Output, { delivery, attempt, event }: WatchedAttempt): string {
  const { number, startedAt, durationMs, outcome, status, error } = attempt
  const result = `${status ?? attempt.class} in ${Math.round(durationMs)} ms`
  const next = delivery.nextAttemptAt
  return [
    ...eventCells(output, startedAt, summaryOf(event)),
    output.style(outcomeColour(outcome), result),
    ...(number > 1 ? [`attempt ${number}`] : []),
    ...(error === undefined ? [] : [printableText(error)]),
    ...(next === null ? [] : [`next attempt at ${next.slice(11, 19)}`]),
  ].join('  ')
}

const POLL_MS = 300

interface WatchedAttempt {
  readonly delivery: Delivery
  readonly attempt: Delivery['attempts'][number]
  readonly event: Event['event']
}

/** Polls for new attempts to one destination, in order, until the result is disposed of. */
async function watchAttempts(
  api: ManagementApi,
  destinationId: string,
  onAttempt: (watched: WatchedAttempt) => void,
  onError: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  const { signal } = stopping
  let seen = new Set<string>()
  const unseen = async () => {
    const { data } = await api.listDeliveries({ destinationId, limit: 50 })
    const all = data.flatMap((delivery) =>
      delivery.attempts.map((attempt) => ({ delivery, attempt })),
    )
    const before = seen
    seen = new Set(all.map(({ attempt }) => attempt.id))
    return all
      .filter(({ attempt }) => !before.has(attempt.id))
      .toSorted((a, b) => (a.attempt.id < b.attempt.id ? -1 : 1))
  }
  await unseen()
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for (const each of await unseen())
          onAttempt({ ...each, event: (await api.getEvent(each.delivery.eventId)).event })
      } catch (error) {
        onError(error)
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }
  const watching = watch()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await watching
    },
  }
}
