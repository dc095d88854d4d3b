// Meshes and how they are drawn.
#include "render/mesh.hpp"

#include <memory>
#include <vector>

#define MESH_LIMIT 65536

using std::vector;
using namespace std::chrono;

namespace render {
namespace detail {

constexpr int kBatch = 64;

template <typename T>
T clamp(T value, T low, T high)
{
    return std::min(std::max(value, low), high);
}

} // namespace detail

/// How a mesh is filled.
enum class Fill : std::uint8_t { Solid, Wire };

/** What can be drawn. */
class Drawable {
public:
    virtual ~Drawable() = default;
    virtual void draw(Canvas &canvas) const = 0;
    virtual const Box &bounds() const { return box_; }

protected:
    Box box_;
};

class Mesh final : public Drawable, private detail::Counted<Mesh>, public io::Saved {
public:
    explicit Mesh(vector<Vertex> vertices) : vertices_(std::move(vertices)) { update(); }
    ~Mesh() override;

    void draw(Canvas &canvas) const override;
    Mesh &operator+=(const Mesh &other);
    operator bool() const { return !vertices_.empty(); }
    static std::unique_ptr<Mesh> load(const std::string &path);

    template <class F>
    void each(F &&f) const
    {
        for (const auto &v : vertices_)
            f(v);
    }

private:
    void update();

    vector<Vertex> vertices_;
    Fill fill_ = Fill::Solid;
    void (*on_change_)(const Mesh &mesh) = nullptr;
};

Mesh::~Mesh()
{
    detail::release(this);
}

/* Draws it, in batches. */
void Mesh::draw(Canvas &canvas) const
{
    for (std::size_t i = 0; i < vertices_.size(); i += detail::kBatch)
        canvas.submit(&vertices_[i], detail::clamp<std::size_t>(vertices_.size() - i, 0, 64));
    if (auto *debug = dynamic_cast<DebugCanvas *>(&canvas))
        debug->overlay().outline<Fill>(bounds());
}

Mesh &Mesh::operator+=(const Mesh &other)
{
    vertices_.insert(vertices_.end(), other.vertices_.begin(), other.vertices_.end());
    return *this;
}

std::unique_ptr<Mesh> Mesh::load(const std::string &path)
{
    auto reader = std::make_unique<io::Reader>(path);
    return std::unique_ptr<Mesh>(new Mesh(reader->vertices()));
}

template <typename T>
struct Pool {
    struct Block {
        Block *next;
    };
    T *take();
    using value_type = T;
};

template <typename T>
T *Pool<T>::take()
{
    return static_cast<T *>(allocate(sizeof(T)));
}

static int drawn;
extern int undefined;

} // namespace render

static const char *render_name(render::Fill fill)
{
    auto name = [](render::Fill f) { return f == render::Fill::Wire ? "wire" : "solid"; };
    return name(fill);
}

extern "C" int render_main(int argc, char **argv)
{
    return render::Mesh::load(argv[1]) ? 0 : 1;
}

int render::detail::answer() { return ::global_answer(); }
