import { REFERENCE_STYLE } from './reference-style.ts'
import { escapeHtml as e } from '../../util/escape-html.ts'
import { type Listed, type OpenapiDocument, operationsByTag } from './openapi-document.ts'
import { operationHtml } from './operation-html.ts'
import { schemaHtml } from './schema-html.ts'

/** An OpenAPI document, with what the page says about all of its operations. */
export interface ReferencePart {
  readonly document: OpenapiDocument
  /** The path of the document. */
  readonly path: string
  /** HTML. */
  readonly lead: string
}

/** Where the management API is, there are the pages of the documentation, too. */
const DOCUMENTATION = '<p><a href="/docs">Documentation</a></p>'

/** The reference of one or several APIs as one HTML page without scripts or other files. */
export function referencePage(parts: readonly ReferencePart[]): string {
  const schemas = parts.flatMap(({ document }) => Object.entries(document.components.schemas))
  const title = parts.length === 1 ? parts[0]!.document.info.title : 'Hookline API'
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${e(title)}</title><style>${REFERENCE_STYLE}</style></head>
<body><nav aria-label="Operations"><h1>${e(title)}</h1>${parts.map((part) => partNav(part, parts.length > 1)).join('')}
<p><a href="#schemas">Schemas</a></p>${parts.length > 1 ? DOCUMENTATION : ''}</nav>
<main>${parts.map(partMain).join('\n')}
<section id="schemas"><h2>Schemas</h2>${schemas.map(schemaArticle).join('\n')}</section></main></body></html>
`
}

function partNav({ document, path }: ReferencePart, isOneOfSeveral: boolean): string {
  const tags = [...operationsByTag(document)].map(([tag, listed]) => navSection(tag, listed))
  const link = `<p><a href="${e(path)}">${e(path)}</a></p>`
  const title = isOneOfSeveral ? `<p class="part">${e(document.info.title)}</p>` : ''
  return `${title}${tags.join('')}${link}`
}

function navSection(tag: string, listed: readonly Listed[]): string {
  const links = listed.map(
    ({ method, operation: { operationId, summary } }) =>
      `<li><a href="#${e(operationId)}"><b class="${e(method)}">${e(method)}</b> ${e(summary)}</a></li>`,
  )
  return `<h2>${e(tag)}</h2><ul>${links.join('')}</ul>`
}

function partMain({ document, lead }: ReferencePart): string {
  const sections = [...operationsByTag(document)].map(
    ([tag, listed]) =>
      `<section><h2>${e(tag)}</h2>${listed.map(operationHtml).join('\n')}</section>`,
  )
  const { title, description } = document.info
  return `<p class="part">${e(title)}</p><p class="lead">${e(description)} ${lead}</p>${sections.join('\n')}`
}

function schemaArticle([name, schema]: [string, Parameters<typeof schemaHtml>[0]]): string {
  return `<article id="${e(name)}"><h3>${e(name)}</h3>${schemaHtml(schema)}</article>`
}
