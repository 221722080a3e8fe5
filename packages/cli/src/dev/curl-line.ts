/** A command that sends a first event, for pasting into a shell. Nothing in it needs quoting but the body. */
export function curlLine(url: string, writeKey: string): string {
  const call = {
    userId: 'u1',
    event: 'Order Completed',
    properties: { orderId: 'o-1', revenue: 39.95 },
  }
  return `curl -u ${writeKey}: ${url}/v1/track -H 'Content-Type: application/json' -d '${JSON.stringify(call)}'`
}
