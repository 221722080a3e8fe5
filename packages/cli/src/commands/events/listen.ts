import { type Command, InvalidArgumentError } from 'commander'
import { outputOf } from '../../output/output-of.ts'
import { type Fault, parseDelay, parseFault } from '../../receiver/answer-plan.ts'
import { deliveryLine } from '../../receiver/delivery-line.ts'
import { Receiver } from '../../receiver/receiver.ts'
import { stopSignal } from '../../service/stop-signal.ts'
import {
  type SecretOptions,
  sharedSecretOf,
  withSecretOptions,
} from '../../options/secret-options.ts'

interface ListenOptions extends SecretOptions {
  readonly host: string
  readonly port: number
  readonly fail?: Fault
  readonly delay?: number
}

/** `hookline listen` */
export function addListen(program: Command): void {
  withSecretOptions(program.command('listen'))
    .description('a receiver for webhooks: shows what arrives and checks its signature')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', parsePort, 4801)
    .option('--fail <status:times>', 'answer so to the first requests, like 500:2', parseFault)
    .option('--delay <time>', 'wait before each answer, like 3s', parseDelay)
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
  output.data({ kind: 'listening', url }, () => `Listening on ${url} – Ctrl-C stops.`)
  await stop
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
  }
  return port
}
