const TYPESCRIPT = `import { verifyWebhook } from '@agent-registry/client/webhooks'

export async function receive(request: Request): Promise<Response> {
  try {
    // The text as it arrived, before any parsing.
    const rawBody = await request.text()
    const event = await verifyWebhook(rawBody, request.headers, process.env.SECRET_NAME!)
    console.log(event.type, event.id)
    return new Response()
  } catch {
    return new Response(null, { status: 400 })
  }
}`

const PYTHON = `import hashlib, hmac, json, os, time

SECRET = os.environ["SECRET_NAME"].encode()


def verify(raw_body, headers, tolerance_seconds=300):
    timestamp = headers.get("X-Service-Timestamp", "")
    expected = hmac.new(SECRET, timestamp.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), headers.get("X-Service-Signature", "").encode()):
        raise ValueError("wrong signature")
    if abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise ValueError("timestamp too old or too new")
    return json.loads(raw_body)`

const GO = `const tolerance = 300 * time.Second

var secret = []byte(os.Getenv("SECRET_NAME"))

func verify(rawBody []byte, header http.Header) (event Event, err error) {
	timestamp := header.Get("X-Service-Timestamp")
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(expected), []byte(header.Get("X-Service-Signature"))) {
		return event, errors.New("wrong signature")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return event, errors.New("timestamp too old or too new")
	}
	err = json.Unmarshal(rawBody, &event)
	return event, err
}`

const JAVA = `static final byte[] SECRET = System.getenv("SECRET_NAME").getBytes(StandardCharsets.UTF_8);
static final long TOLERANCE_SECONDS = 300;

static void verify(byte[] rawBody, Headers headers) throws Exception {
    String timestamp = String.valueOf(headers.getFirst("X-Service-Timestamp"));
    String signature = String.valueOf(headers.getFirst("X-Service-Signature"));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
    mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
    String expected = HexFormat.of().formatHex(mac.doFinal(rawBody));
    if (!MessageDigest.isEqual(expected.getBytes(), signature.getBytes()))
        throw new SecurityException("wrong signature");
    long age = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
    if (Math.abs(age) > TOLERANCE_SECONDS)
        throw new SecurityException("timestamp too old or too new");
}`

/** The name of the environment variable that holds the secret of a webhook. */
export function secretName(webhookId?: string): string {
  return webhookId === undefined ? 'WEBHOOK_SECRET' : `WEBHOOK_SECRET_${webhookId.slice(0, 8).toUpperCase()}`
}

/** The code of the guide, which reads the secret from this variable. */
export function verificationCode(name: string): Record<string, string> {
  const codes = { TypeScript: TYPESCRIPT, Python: PYTHON, Go: GO, Java: JAVA }
  return Object.fromEntries(
    Object.entries(codes).map(([title, code]) => [title, code.replace('SECRET_NAME', name)]),
  )
}
