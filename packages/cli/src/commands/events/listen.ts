import type { Command } from 'commander'
import { outputOf } from '../../output/output.ts'
import { deliveryLine } from '../../receiver/delivery-text.ts'
import { Receiver } from '../../receiver/receiver.ts'
import { parseDelay, parseFault, type PlannedFault } from '../../receiver/response-plan.ts'
import { stopSignal } from '../../service/stop-signal.ts'
import {
  type SecretOptions,
  sharedSecretOf,
  withSecretOptions,
} from '../../options/secret-options.ts'
import { wholeNumber } from '../../options/whole-number.ts'

interface ListenOptions extends SecretOptions {
  readonly host: string
  readonly port: number
  readonly fail?: PlannedFault
  readonly delay?: number
}

export function addListen(program: Command): void {
  withSecretOptions(
    program.command('listen'),
    'shared secret, or public key (whpk_…), to verify with',
    'secret or public key',
  )
    .description('run a receiver that prints and verifies deliveries')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 for a free port', wholeNumber(0, 65_535), 4801)
    .option(
      '--fail <status:times>',
      'respond with this status to all requests (503), or to the first n (500:2)',
      parseFault,
    )
    .option('--delay <time>', 'wait before each response, like 3s', parseDelay)
    .action(listen)
}

async function listen(options: ListenOptions, command: Command): Promise<void> {
  const output = outputOf(command)
  const stop = stopSignal()
  await using receiver = new Receiver({
    host: options.host,
    port: options.port,
    secret: sharedSecretOf(options),
    fault: options.fail,
    delayMs: options.delay,
    onDelivery: (delivery) => output.data(delivery, () => deliveryLine(output, delivery)),
  })
  await receiver.listen()
  const { url } = receiver
  output.data({ kind: 'listening', url }, () => `Listening on ${url}. Press Ctrl-C to stop.`)
  await stop
}
