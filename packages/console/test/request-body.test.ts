import { expect, test } from 'vitest'
import { visible, visibleText } from '../src/api/visible.ts'
import { inLines } from '../src/ui/code-block.tsx'

const BODY =
  '{"id":"evt_1","data":{"name":"\u202egnp.\ue0005, \\"a\\"","amount":18446744073709551615,"list":[1,{}],"empty":[]}}'

test('a body in lines has the same texts and digits', () => {
  expect(inLines(BODY)).toBe(`{
  "id": "evt_1",
  "data": {
    "name": "\u202egnp.\ue0005, \\"a\\"",
    "amount": 18446744073709551615,
    "list": [
      1,
      {}
    ],
    "empty": []
  }
}`)
})

test('the body of a delivery stays as it is signed, and is shown without invisible characters', () => {
  expect(visible({ webhookDelivery: { body: BODY, eventId: '\u202e' } })).toEqual({
    webhookDelivery: { body: BODY, eventId: '\\u202e' },
  })
  expect(visible({ webhookDelivery: { body: null } })).toEqual({ webhookDelivery: { body: null } })
  expect(visibleText(inLines(BODY))).toContain('"name": "\\u202egnp.\\ue0005, ')
})
