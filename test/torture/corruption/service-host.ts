import { createLogger, openService, parseConfig, type Service } from '@hookline/server'
import type { HostMessage, HostRequest, HostSettings } from './host.ts'

// Opens and closes services at the request of `host.ts`. One process for many starts compiles the service only once.

const SETTINGS = {
  host: '127.0.0.1',
  port: '0',
  allowedNetworks: '127.0.0.0/8',
  retryScheduleMs: '1000',
  shutdownTimeoutMs: '1000',
}

const send = (message: HostMessage): void => void process.send!(message)
const logger = createLogger('silent')
let service: Service | undefined

async function open(settings: HostSettings): Promise<HostMessage> {
  const config = parseConfig({}, { ...SETTINGS, ...settings })
  try {
    service = await openService({ config, logger })
  } catch (error) {
    const { name, message } = error as Error
    return { kind: 'refused', reason: `${name}: ${message}` }
  }
  void tellFailure(service)
  return { kind: 'opened', url: service.url, token: service.adminToken.reveal() }
}

async function tellFailure({ failed }: Service): Promise<void> {
  const failure = await failed
  const reason = 'corruption' in failure ? failure.corruption : failure.error
  send({ kind: 'failed', reason: `${String(reason)} ${JSON.stringify(failure)}` })
}

async function close(): Promise<HostMessage> {
  await service?.[Symbol.asyncDispose]()
  service = undefined
  return { kind: 'closed' }
}

process.on('message', (request: HostRequest) => {
  void (request.kind === 'open' ? open(request.settings) : close()).then(send)
})
process.on('disconnect', () => process.exit())
