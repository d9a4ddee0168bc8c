import { type Page, PAGE_LIMIT, PAGE_OFFSET, OFFSET_COST } from '../src/domain/page.ts'
import { builder, type Types } from './builder.ts'
import { inputType, limited, withDefault } from './inputs.ts'
import { type Column, int, objectType, of } from './columns.ts'
import { enumType } from './enum-values.ts'

const OrderDirection = enumType('OrderDirection', 'Sort direction.', {
  asc: 'Ascending.',
  desc: 'Descending.',
})

interface OrderTexts {
  readonly field: string
  readonly direction: string
}

/** The input that orders a list, by the fields of an enum. The texts tell the defaults. */
export function orderType<Value>(
  name: string,
  type: PothosSchemaTypes.EnumRef<Types, Value>,
  texts: OrderTexts,
) {
  return inputType(name, 'Order of a list.', {
    field: of(type, texts.field),
    direction: of(OrderDirection, texts.direction),
  })
}

/** A page of a list by offset. `rows` names the field of its rows. */
export function pageType<Row>(
  name: string,
  description: string,
  rows: Readonly<Record<string, Column<readonly Row[]>>>,
) {
  const ref = objectType<Page<Row>>(name, description, {
    total: int('Exact number of matching entries.', 1),
    limit: int('Maximum number of entries on this page.', PAGE_LIMIT.default),
    offset: int('Number of skipped entries.', PAGE_OFFSET.default),
  })
  for (const [member, column] of Object.entries(rows))
    builder.objectField(ref, member, (t) => t.expose('rows', column as never))
  return ref
}

/** `limit` and `offset`. The services check the values. */
export const PAGE_ARGS = {
  limit: withDefault(
    PAGE_LIMIT.default,
    limited(int(`Maximum number of entries: ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}.`), {
      minimum: PAGE_LIMIT.min,
      maximum: PAGE_LIMIT.max,
    }),
  ),
  offset: withDefault(
    PAGE_OFFSET.default,
    limited(int(`Number of entries to skip: 0 or more. ${OFFSET_COST}`), {
      minimum: PAGE_OFFSET.min,
      maximum: PAGE_OFFSET.max,
    }),
  ),
}
