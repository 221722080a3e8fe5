import {
  EVENT_TYPES,
  type EventType,
  type Json,
  type JsonObject,
  roundedNumbers,
} from '@hookline/protocol'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { TokenOptions } from '../../api/admin-token.ts'
import { callFrom, type CallOptions } from '../../options/call-options.ts'
import { PAST_TIME } from '../../options/time-options.ts'
import { outputOf } from '../../output/output.ts'
import { sendCalls } from '../../sending/send-calls.ts'
import { findWriteKey } from '../../sending/write-key.ts'
import type { ApiCommand } from '../api-command.ts'

export function addSend(program: ApiCommand): void {
  program
    .api('send', 'send one analytics call')
    .addArgument(new Argument('<type>', 'type of the call').choices(EVENT_TYPES))
    .argument('[name]', 'name of the event, page or screen')
    .option('--user <id>', 'userId of the call')
    .option('--anonymous <id>', 'anonymousId of the call')
    .option('-p, --property <key=value>', 'property; the value is JSON or text', addField)
    .option(
      '-t, --trait <key=value>',
      'trait of identify or group; the value is JSON or text',
      addField,
    )
    .option('--group <id>', 'groupId of a group call')
    .option('--previous <id>', 'previousId of an alias call')
    .option('--timestamp <time>', `time of the call: ${PAST_TIME}; default: now`)
    .option(
      '--write-key <key>',
      'write key of the source (HOOKLINE_WRITE_KEY); default: the key of the only enabled source',
    )
    .action(send)
}

interface SendOptions extends CallOptions, TokenOptions {
  readonly url: URL
  readonly writeKey?: string
}

async function send(
  type: EventType,
  name: string | undefined,
  options: SendOptions,
  command: Command,
): Promise<void> {
  const call = callFrom(type, name, options)
  const writeKey = await findWriteKey(options)
  await sendCalls(options.url, writeKey, [call])
  const { messageId } = call
  outputOf(command).data(
    { accepted: true, type, messageId },
    () => `Accepted ${type} ${messageId}\nShow its deliveries: hookline trace ${messageId}`,
  )
}

/** Adds `key=value`. The value is text unless it is JSON without numbers that JavaScript rounds. */
export function addField(text: string, fields: JsonObject = {}): JsonObject {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('It must have the format key=value.')
  // fromEntries, because assigning __proto__ would set the prototype.
  return {
    ...fields,
    ...Object.fromEntries([[text.slice(0, equals), valueOf(text.slice(equals + 1))]]),
  }
}

function valueOf(text: string): Json {
  if (roundedNumbers(text).values.size > 0) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
