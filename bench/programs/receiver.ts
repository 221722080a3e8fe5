import { RawReceiver } from '../load/raw-receiver.ts'
import { answer } from '../load/answer.ts'

// The receiver of deliveries in its own process.

const receiver = await RawReceiver.open(() => true)
process.on('SIGTERM', () => process.exit())
answer({}, receiver.port)
