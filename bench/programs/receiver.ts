import { RawReceiver } from '../load/raw-receiver.ts'
import { answer } from '../load/answer.ts'

const receiver = await RawReceiver.open(() => true)
process.on('SIGTERM', () => process.exit())
answer({}, receiver.port)
