/** The host of a URL, or the text itself if it is not a URL. */
export function webhookHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
