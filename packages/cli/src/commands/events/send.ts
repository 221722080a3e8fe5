import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { Argument, type Command } from 'commander'
import type { TokenOptions } from '../../api/admin-token.ts'
import { withApiOptions } from '../../api/api-command.ts'
import { sendCalls } from '../../sending/send-calls.ts'
import { findWriteKey } from '../../sending/write-key.ts'
import { outputOf } from '../../output/output-of.ts'
import { callFrom, type CallOptions } from '../../options/call-from-options.ts'
import { addField } from '../../options/field-option.ts'

/** `hookline send` */
export function addSend(program: Command): void {
  withApiOptions(program.command('send'))
    .description('send one call')
    .addArgument(new Argument('<type>', 'what it is').choices(EVENT_TYPES))
    .argument('[name]', 'name of a track event, a page or a screen')
    .option('--user <id>', 'userId')
    .option('--anonymous <id>', 'anonymousId')
    .option(
      '-p, --property <key=value>',
      'property; a value that is JSON is sent as such',
      addField,
    )
    .option('-t, --trait <key=value>', 'trait of identify or group', addField)
    .option('--group <id>', 'groupId of group')
    .option('--previous <id>', 'previousId of alias')
    .option('--timestamp <time>', 'when it happened, in ISO 8601; else now')
    .option('--write-key <key>', 'write key of the source (HOOKLINE_WRITE_KEY); else the only one')
    .addHelpText(
      'after',
      '\nExample: hookline send track "Order Completed" --user u1 -p revenue=39.95',
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
  const writeKey =
    options.writeKey ?? process.env['HOOKLINE_WRITE_KEY'] ?? (await findWriteKey(options))
  await sendCalls(options.url, writeKey, [call])
  const { messageId } = call
  outputOf(command).data(
    { accepted: true, type, messageId },
    () => `Accepted ${type} ${messageId}\nWhat became of it: hookline trace ${messageId}`,
  )
}
