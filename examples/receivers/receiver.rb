require 'fileutils'
require 'openssl'
require 'securerandom'
require 'webrick'

INBOX = 'inbox'
MAX_BYTES = 4 * 1024 * 1024
TOLERANCE_SECONDS = 5 * 60
SECRET = ENV.fetch('HOOKLINE_SECRET')
KEY = SECRET.start_with?('whsec_') ? SECRET.delete_prefix('whsec_').unpack1('m0') : SECRET
abort 'HOOKLINE_SECRET is empty.' if KEY.empty?
$stdout.sync = true

def signed?(request, body)
  id = request['webhook-id'].to_s
  timestamp = request['webhook-timestamp'].to_s
  return false if id.empty? || !timestamp.match?(/\A\d{1,12}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  digest = OpenSSL::HMAC.digest('SHA256', KEY, "#{id}.#{timestamp}.".b + body)
  expected = "v1,#{[digest].pack('m0')}"
  signatures = request['webhook-signature'].to_s.split
  signatures.any? { |signature| OpenSSL.secure_compare(signature, expected) }
end

# Stores a delivery on disk. Returns false if the delivery was already stored.
def store(id, body)
  part = File.join(INBOX, "#{SecureRandom.uuid}.part")
  File.open(part, 'wb') do |file|
    file.write(body)
    file.fsync
  end
  File.link(part, File.join(INBOX, "#{id}.json"))
  true
rescue Errno::EEXIST
  false
ensure
  FileUtils.rm_f(part)
end

def read_body(request)
  body = String.new
  request.body do |chunk|
    body << chunk
    raise WEBrick::HTTPStatus::RequestEntityTooLarge if body.bytesize > MAX_BYTES
  end
  body
end

FileUtils.mkdir_p(INBOX)
port = Integer(ENV.fetch('PORT', '4801'))
ready = -> { puts "Listening on http://127.0.0.1:#{port}/" }
server = WEBrick::HTTPServer.new(
  BindAddress: '127.0.0.1', Port: port, StartCallback: ready,
  AccessLog: [], RequestTimeout: 10
)
server.mount_proc '/' do |request, _response|
  body = read_body(request)
  raise WEBrick::HTTPStatus::Unauthorized unless signed?(request, body)

  id = request['webhook-id']
  puts "#{store(id, body) ? 'stored' : 'duplicate'} #{id}"
end
trap('INT') { server.shutdown }
trap('TERM') { server.shutdown }
server.start
