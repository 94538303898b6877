# Rack's multipart parser, in Puma.
require 'digest'
require 'json'
require 'rack'

CONTAINER = { uuid: 'c-1', name: 'One' }.freeze

def respond(status, body)
  [status, { 'Content-Type' => 'application/json' }, [JSON.generate(body)]]
end

def describe(file)
  content = file[:tempfile].read
  { name: file[:filename], type: file[:type], size: content.bytesize, sha256: Digest::SHA256.hexdigest(content) }
end

def encode(request)
  manifest = request.POST['manifest.json'][:tempfile].read.force_encoding('UTF-8')
  name = JSON.parse(manifest)['container']['name']
  return respond(422, error: { message: 'The container was refused' }) if name == 'Refused'

  # Rack keeps the last of several parts with one name, unless the name ends in [].
  files = [request.POST['file']].flatten.map { |file| describe(file) }
  respond(201, container: { uuid: 'c-1', name: name }, received: { manifest: manifest, files: files })
end

run lambda { |env|
  request = Rack::Request.new(env)
  path = Rack::Utils.unescape_path(request.path.delete_prefix('/api/v1'))
  File.write(ENV.fetch('REQUESTS'), "#{request.request_method} #{path}\n", mode: 'a')
  next respond(200, id: 'u-1', email: 'owner@example.com') if path == '/me'

  case request.request_method
  when 'POST' then encode(request)
  when 'PATCH' then respond(200, { email: path.split('/').last }.merge(JSON.parse(request.body.read)))
  when 'DELETE' then [204, {}, []]
  else respond(200, path == '/users/u-1/containers' ? [CONTAINER] : CONTAINER)
  end
}
