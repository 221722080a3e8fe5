import { RawReceiver } from '../load/raw-receiver.ts'
import { serveRequests } from '../load/serve-requests.ts'

const receiver = await RawReceiver.open(() => true)
process.on('SIGTERM', () => process.exit())
serveRequests({}, receiver.port)
