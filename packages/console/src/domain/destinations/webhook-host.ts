/** The host of a webhook, which is what tells it from others in a list; the text itself where it is no URL. */
export function webhookHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
