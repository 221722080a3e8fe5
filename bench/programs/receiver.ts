import { RawReceiver } from '../load/raw-receiver.ts'

// The receiver of deliveries in its own process.

const receiver = await RawReceiver.open(() => true)
process.on('SIGTERM', () => process.exit())
process.send!(receiver.port)
